# SPDX-License-Identifier: Apache-2.0
"""A module that looks at the device when it is imported."""
import torch

NAME = torch.cuda.get_device_name()  # breaks early
