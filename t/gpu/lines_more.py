# SPDX-License-Identifier: Apache-2.0
# torch.compile, a backward pass, and DataLoader workers that are forked and spawned; see lines_judge.py.
import torch


@torch.compile
def function(x):
    return torch.sin(x) * 2 + torch.cos(x)


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.full((8,), float(index))


class OfTheDevice(Numbers):
    def __getitem__(self, index):
        return torch.full((), float(index), device="cuda").item()  # mark: worker


def total(how):
    loader = torch.utils.data.DataLoader(Numbers(), batch_size=8, num_workers=2, multiprocessing_context=how)
    result = 0
    for batch in loader:
        batch = batch.cuda()  # mark: batch
        result += batch.sum().item()
    return result


if __name__ == "__main__":
    x = torch.arange(10000, device="cuda") / 1e4
    function(x)
    for _ in range(100):
        function(x)  # mark: compiled
    weight = torch.ones(64, 64, device="cuda", requires_grad=True)
    for _ in range(10):
        (weight @ weight).sum().backward()  # mark: backward
    print("fork", total("fork"), "spawn", total("spawn"))
    # A worker that is forked cannot use the device.
    print("workers", sum(batch.sum().item() for batch in torch.utils.data.DataLoader(
        OfTheDevice(), batch_size=8, num_workers=2, multiprocessing_context="spawn")))
    torch.cuda.synchronize()
