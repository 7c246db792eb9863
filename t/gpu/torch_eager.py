# SPDX-License-Identifier: Apache-2.0
"""A matrix product, streams and events, a training step: PyTorch, eagerly."""
import torch

torch.manual_seed(7)
a = torch.arange(1 << 20, dtype=torch.float32, device="cuda").reshape(1024, 1024) / 1e6
print("matmul", (a @ a).sum().item())
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    b = torch.ones(1000, device="cuda").cumsum(0)
event = torch.cuda.Event()
event.record(side)
event.synchronize()
print("stream", b.sum().item())
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(256, 64).cuda(), torch.randn(256, 1).cuda()
for _ in range(5):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
print("loss %.4f" % loss.item())
