# SPDX-License-Identifier: Apache-2.0
"""A DataLoader with forked workers, and with spawned ones."""
import torch


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.full((8,), float(index))


def total(how):
    loader = torch.utils.data.DataLoader(Numbers(), batch_size=8, num_workers=2, multiprocessing_context=how)
    return sum(batch.cuda().sum().item() for batch in loader)


if __name__ == "__main__":
    torch.zeros(1, device="cuda")
    print("fork", total("fork"))
    print("spawn", total("spawn"))
