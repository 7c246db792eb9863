# SPDX-License-Identifier: Apache-2.0
"""Convolutions forward and backward in PyTorch, which cuDNN does."""
import torch

torch.manual_seed(7)
torch.backends.cudnn.deterministic = True
model = torch.nn.Sequential(torch.nn.Conv2d(3, 32, 3, padding=1), torch.nn.ReLU(),
                            torch.nn.Conv2d(32, 32, 3, stride=2)).cuda()
x = torch.randn(8, 3, 64, 64).cuda()
for _ in range(3):
    model.zero_grad()
    loss = model(x).square().mean()
    loss.backward()
print("cuDNN", torch.backends.cudnn.version(), "loss %.4f" % loss.item(), "of", tuple(model(x).shape))
