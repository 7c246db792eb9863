# SPDX-License-Identifier: Apache-2.0
# NCCL without PyTorch's collectives: reduces over all GPUs with one communicator each, by calls whose
# arguments are known here; prints these as cuaudit is to print them, and fails if a sum is wrong.
import ctypes
import sys

import torch

# The values that nccl.h gives these names.
TYPES = {"ncclInt64": 4, "ncclFloat16": 6, "ncclFloat32": 7, "ncclFloat64": 8}
OPS = {"ncclSum": 0, "ncclMax": 2}
CALLS = [
    (1 << 20, "ncclFloat32", "ncclSum", torch.float32),
    (1000, "ncclFloat64", "ncclMax", torch.float64),
    (3, "ncclInt64", "ncclSum", torch.int64),
    (65537, "ncclFloat16", "ncclSum", torch.float16),
]

nccl = ctypes.CDLL("libnccl.so.2")
nccl.ncclAllReduce.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int,
                               ctypes.c_void_p, ctypes.c_void_p]


def check(result, what):
    if result:
        sys.exit(f"{what}: {result}")


def reduce(comms, count, type_name, op_name, dtype):
    devices = range(len(comms))
    sent = [torch.full((count,), device + 1, dtype=dtype, device=device) for device in devices]
    got = [torch.zeros_like(values) for values in sent]
    for device in devices:
        torch.cuda.synchronize(device)
    check(nccl.ncclGroupStart(), "ncclGroupStart")
    for device in devices:
        print(f"ncclAllReduce(sendbuff = {sent[device].data_ptr():#x}, recvbuff = {got[device].data_ptr():#x}, "
              f"count = {count}, datatype = {type_name}, op = {op_name}, comm = {comms[device]:#x}, stream = NULL) "
              "= ncclSuccess", flush=True)
        check(nccl.ncclAllReduce(sent[device].data_ptr(), got[device].data_ptr(), count, TYPES[type_name],
                                 OPS[op_name], comms[device], None), "ncclAllReduce")
    check(nccl.ncclGroupEnd(), "ncclGroupEnd")
    want = len(comms) * (len(comms) + 1) // 2 if op_name == "ncclSum" else len(comms)
    for device in devices:
        torch.cuda.synchronize(device)
        if not bool((got[device] == want).all()):
            sys.exit(f"{type_name}: {got[device][0].item()} is not {want}")


count = int(sys.argv[1])
for index in range(count):
    torch.cuda.init()
    torch.ones(1, device=index)
handles = (ctypes.c_void_p * count)()
check(nccl.ncclCommInitAll(handles, count, None), "ncclCommInitAll")
for call in CALLS:
    reduce([handle for handle in handles], *call)
for handle in handles:
    check(nccl.ncclCommDestroy(ctypes.c_void_p(handle)), "ncclCommDestroy")
