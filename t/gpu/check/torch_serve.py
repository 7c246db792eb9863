# SPDX-License-Identifier: Apache-2.0
"""A server of a language model in small: three threads, each with work of its own.

torch_serve.py broken|clean STEPS. One thread stages the tokens of a batch, one decodes, one reads
what was decoded. None but the last waits for the GPU. The fault is a question about the logits, in
the thread that decodes. Prints how many tokens were read.
"""
import queue
import sys
import threading

import torch

WARM = 20
BATCH = 16
ROOM = 4


class Server:
    def __init__(self, broken, steps):
        torch.manual_seed(7)
        self.broken = broken
        self.steps = WARM + steps
        self.embedding = torch.nn.Embedding(512, 64).cuda()
        self.head = torch.nn.Linear(64, 512).cuda()
        self.staged, self.decoded = queue.Queue(ROOM), queue.Queue(ROOM)
        self.read = 0

    def ranges(self, what):
        for number in range(self.steps):
            phase = "warm" if number < WARM else "step"
            with torch.cuda.nvtx.range("%s %s %d" % (phase, what, number)):
                yield number

    @torch.no_grad()
    def schedule(self):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for number in self.ranges("schedule"):
                tokens = torch.full((BATCH,), number % 512, pin_memory=True)
                event = torch.cuda.Event()
                device = tokens.to("cuda", non_blocking=True)
                event.record(stream)
                self.staged.put((device, event, tokens))

    @torch.no_grad()
    def decode(self):
        stream = torch.cuda.Stream()
        outputs = [torch.empty(BATCH, dtype=torch.int64).pin_memory() for _ in range(2 * ROOM + 2)]
        with torch.cuda.stream(stream):
            for number in self.ranges("decode"):
                tokens, event, _ = self.staged.get()
                stream.wait_event(event)
                tokens.record_stream(stream)
                logits = self.head(self.embedding(tokens))
                if self.broken and number >= WARM and number % 4 == 0:
                    if torch.isnan(logits).any():  # breaks serve
                        raise ValueError("NaN")
                output = outputs[number % len(outputs)]
                output.copy_(logits.argmax(-1), non_blocking=True)
                event = torch.cuda.Event()
                event.record(stream)
                self.decoded.put((output, event))

    def answer(self):
        for _ in self.ranges("answer"):
            output, event = self.decoded.get()
            event.synchronize()
            self.read += len(output.tolist())


def main(broken, steps):
    server = Server(broken, steps)
    threads = [threading.Thread(target=work) for work in
               (server.schedule, server.decode, server.answer)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(server.read - WARM * BATCH)


if __name__ == "__main__":
    main(sys.argv[1] == "broken", int(sys.argv[2]))
