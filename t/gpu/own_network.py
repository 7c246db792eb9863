# SPDX-License-Identifier: Apache-2.0
"""own_network.py COMMAND... under `unshare -n`: becomes COMMAND when the loopback is up, for programs
that all want the same port."""
import fcntl
import os
import socket
import struct
import sys

SIOCSIFFLAGS, IFF_UP, IFF_RUNNING = 0x8914, 0x1, 0x40

with socket.socket() as any_socket:
    fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP | IFF_RUNNING))
os.execvp(sys.argv[1], sys.argv[1:])
