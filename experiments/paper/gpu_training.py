"""Train the paper's model on a GPU, several at once, each on a stream of its own.

    python experiments/paper/gpu_training.py FOLDER FOLDER ... --seconds 300

`gpu_data.py` writes the folders. Nothing but PyTorch is needed. The network, its loss
and its gradient are those of `spacy_gfl.seq2seq`; batches have a few fixed shapes, so
that the forward and the backward pass of an update are one CUDA graph. The learning
rate rises, then falls to zero when the time is over. `trained.npz` is the average of
the weights, `log.json` the loss (nats a symbol) and the right symbols of the dev part.
"""

import argparse
import contextlib
import copy
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
TABLE = "word_table"
#: Symbols of a sentence at most, by bucket; a sentence has 0.4 times as many words at
#: most. Longer ones are left out.
EDGES = [*range(16, 81, 8), 96, 112, 128, 160, 192, 224, 256, 320, 400]
#: No target: what comes after a sentence's last symbol.
PADDING = -100
#: Sentences of a batch at most.
MOST = 512
#: How often the dev part is scored.
CHECKS = 8


def lstm_forward(inputs: Tensor, hidden: Tensor, memory: Tensor) -> Any:
    """h, m and what the gradient needs, of sums `(batch, 4 * width)`, in one kernel."""
    if inputs.is_cuda:
        return torch.ops.aten._thnn_fused_lstm_cell(inputs, hidden, memory)
    i, f, g, o = (inputs + hidden).chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    memory = f * memory + i * g
    return o * memory.tanh(), memory, torch.cat([i, f, g, o], 1)


def lstm_backward(
    d_hidden: Tensor, d_memory: Tensor, before: Tensor, after: Tensor, gates: Tensor
) -> tuple[Tensor, Tensor]:
    """The gradients of the sums and of m before the step."""
    if gates.is_cuda:
        back = torch.ops.aten._thnn_fused_lstm_cell_backward_impl
        return back(d_hidden, d_memory, before, after, gates, False)[:2]
    i, f, g, o = gates.chunk(4, 1)
    shown = after.tanh()
    d_memory = d_hidden * o * (1 - shown * shown) + d_memory
    d_i, d_f = d_memory * g * i * (1 - i), d_memory * before * f * (1 - f)
    d_g, d_o = d_memory * i * (1 - g * g), d_hidden * shown * o * (1 - o)
    return torch.cat([d_i, d_f, d_g, d_o], 1), d_memory * f


class Layer(torch.autograd.Function):
    """All steps of an LSTM layer on sums of its inputs `(steps, batch, 4 * width)`.

    The results are h and m of all steps.
    """

    @staticmethod
    def forward(ctx: Any, sums: Tensor, weight: Tensor, h: Tensor, m: Tensor) -> Any:
        hidden, memory, gates = [h], [m], []
        for step in sums:
            h, m, saved = lstm_forward(step, h @ weight.t(), m)
            hidden.append(h)
            memory.append(m)
            gates.append(saved)
        both = torch.stack(hidden), torch.stack(memory)
        ctx.save_for_backward(weight, *both, *gates)
        return both[0][1:], both[1][1:]

    @staticmethod
    def backward(ctx: Any, d_hidden: Tensor, d_memory: Tensor) -> Any:
        weight, hidden, memory, *gates = ctx.saved_tensors
        found = []
        d_h = d_m = torch.zeros_like(hidden[0])
        for t in range(len(gates) - 1, -1, -1):
            d_sums, d_m = lstm_backward(
                d_hidden[t] + d_h, d_memory[t] + d_m, memory[t], memory[t + 1], gates[t]
            )
            found.append(d_sums)
            d_h = d_sums @ weight
        d_all = torch.stack(found[::-1])
        d_weight = d_all.flatten(0, 1).t() @ hidden[:-1].flatten(0, 1)
        return d_all, d_weight, d_h, d_m


class FedDecoder(torch.autograd.Function):
    """All steps of a decoder with attention and input feeding.

    What attention finds at a step is read by the next one. PyTorch's graph of that loop
    adds up gradients as large as the weights at each step. Here the loop keeps what
    each step read and wrote, and goes back over the steps once: the gradient of every
    weight is one product of all steps. All sentences of a batch have equally many
    steps, and everything but products is in single precision.
    """

    @staticmethod
    def forward(
        ctx: Any,
        sums: Tensor,
        drops: Tensor | None,
        hides: Tensor,
        states: Tensor,
        vectors: Tensor,
        keys: Tensor,
        score: Tensor,
        query: Tensor,
        of_feed: Tensor,
        of_hidden: Tensor,
        of_below: Tensor,
        biases: Tensor,
    ) -> Tensor:
        (steps, batch, _), (depth, _, _, width) = sums.shape, states.shape
        hidden, memory = [[one[0]] for one in states], [[one[1]] for one in states]
        fed, looked, gates = [sums.new_zeros(batch, 2 * width)], [], []
        seen = sums.new_empty(steps, batch, keys.shape[1], width)
        for t in range(steps):
            inputs = torch.addmm(sums[t], fed[-1], of_feed.t())
            for k in range(depth):
                if k:
                    below = hidden[k - 1][-1]
                    below = below if drops is None else below * drops[k - 1, t]
                    inputs = torch.addmm(biases[k - 1], below, of_below[k - 1].t())
                h, m, saved = lstm_forward(
                    inputs, hidden[k][-1] @ of_hidden[k].t(), memory[k][-1]
                )
                hidden[k].append(h)
                memory[k].append(m)
                gates.append(saved)
            torch.add(keys, (h @ query.t()).unsqueeze(1), out=seen[t]).tanh_()
            scores = (seen[t].view(-1, width) @ score).view(batch, -1)
            looked.append((scores + hides).softmax(1))
            found = torch.bmm(looked[-1].unsqueeze(1), vectors).squeeze(1)
            fed.append(torch.cat([h, found], 1))
        kept = [torch.stack([torch.stack(x) for x in xs]) for xs in (hidden, memory)]
        kept += [torch.stack(fed), torch.stack(looked), seen]
        weights = drops, vectors, keys, score, query, of_feed, of_hidden, of_below
        ctx.save_for_backward(*weights, *kept, *gates)
        return kept[2][1:]

    @staticmethod
    def backward(ctx: Any, d_fed: Tensor) -> Any:
        drops, vectors, keys, score, query, of_feed, of_hidden, of_below, *rest = (
            ctx.saved_tensors
        )
        hidden, memory, fed, looked, seen, *gates = rest
        depth, width = len(hidden), len(score)
        d_sums: list[list[Tensor]] = [[] for _ in hidden]
        d_queries, d_scores, d_found = [], [], []
        d_keys, d_feed = torch.zeros_like(keys), torch.zeros_like(fed[0])
        d_h = [torch.zeros_like(hidden[0, 0])] * depth
        d_m = list(d_h)
        for t in range(len(looked) - 1, -1, -1):
            d_d, found = (d_fed[t] + d_feed).split(width, 1)
            d_found.append(found)
            d_looked = torch.bmm(vectors, found.unsqueeze(2)).squeeze(2)
            d_score = torch._softmax_backward_data(d_looked, looked[t], 1, torch.float)
            d_scores.append(d_score)
            d_seen = torch.ops.aten.tanh_backward(
                d_score.unsqueeze(2).expand_as(keys), seen[t]
            )
            # Multiplied by the score's weights after the loop.
            d_keys += d_seen
            d_queries.append(d_seen.sum(1) * score)
            d_below = torch.addmm(d_d, d_queries[-1], query)
            for k in range(depth - 1, -1, -1):
                d_sum, d_m[k] = lstm_backward(
                    d_below + d_h[k],
                    d_m[k],
                    memory[k, t],
                    memory[k, t + 1],
                    gates[t * depth + k],
                )
                d_sums[k].append(d_sum)
                d_h[k] = d_sum @ of_hidden[k]
                if k:
                    d_below = d_sum @ of_below[k - 1]
                    d_below = d_below if drops is None else d_below * drops[k - 1, t]
            d_feed = d_sum @ of_feed
        by_step = [torch.stack(x[::-1]) for x in (d_queries, d_scores, d_found)]
        d_query, d_scored, d_attended = by_step
        d_layers = [torch.stack(one[::-1]) for one in d_sums]
        flat = [one.flatten(0, 1) for one in d_layers]
        below = hidden[:-1, 1:] if drops is None else hidden[:-1, 1:] * drops
        pairs = list(zip(flat, hidden[:, :-1].flatten(1, 2), strict=True))
        return (
            d_layers[0],
            None,
            None,
            torch.stack([torch.stack(pair) for pair in zip(d_h, d_m, strict=True)]),
            torch.bmm(looked.permute(1, 2, 0), d_attended.transpose(0, 1)),
            d_keys * score,
            d_scored.flatten() @ seen.view(-1, width),
            d_query.flatten(0, 1).t() @ fed[1:, :, :width].flatten(0, 1),
            flat[0].t() @ fed[:-1].flatten(0, 1),
            torch.stack([d_sum.t() @ before for d_sum, before in pairs]),
            torch.stack(
                [
                    d_sum.t() @ one.flatten(0, 1)
                    for d_sum, one in zip(flat[1:], below, strict=True)
                ]
            ),
            torch.stack([d_sum.sum(0) for d_sum in flat[1:]]),
        )


class Network:
    """The weights by the names of `Seq2SeqNetwork`, beside the word table."""

    def __init__(self, weights: dict[str, np.ndarray]) -> None:
        self.weights = {
            name: nn.Parameter(torch.from_numpy(array.astype("float32")).to(DEVICE))
            for name, array in weights.items()
        }
        self.depth, self.width = weights["first_hidden"].shape

    def _bias(self, layer: str) -> Tensor:
        return self.weights[layer + "bias_ih_l0"] + self.weights[layer + "bias_hh_l0"]

    def loss(
        self, words: Tensor, lengths: Tensor, symbols: Tensor, dropout: float
    ) -> tuple[Tensor, Tensor]:
        """The summed loss (nats), and the logits `(steps, batch, symbols)`.

        Args:
            words: Rows of the table, the last word first, `(batch, words)`.
            lengths: The words of each sentence, `(batch,)`.
            symbols: What is to be written, then PADDING, `(batch, steps)`.
            dropout: Probability of dropping a value between two layers.
        """
        weights, linear = self.weights, nn.functional.linear
        batch, n_words = words.shape
        vectors = weights[TABLE].index_select(0, words.t().flatten())
        vectors = vectors.view(n_words, batch, -1)
        rows, finals = torch.arange(batch, device=words.device), []
        for k in range(self.depth):
            name = f"encoder.forwards.{k}."
            if k:
                vectors = nn.functional.dropout(vectors, dropout, dropout > 0)
            sums = linear(vectors, weights[name + "weight_ih_l0"], self._bias(name))
            first = weights["first_hidden"][k].expand(batch, -1).contiguous()
            vectors, memory = Layer.apply(
                sums, weights[name + "weight_hh_l0"], first, torch.zeros_like(first)
            )
            at_end = lengths - 1, rows
            finals.append(torch.stack([vectors[at_end], memory[at_end]]))
        states = torch.stack(finals)
        layers = [f"decoder.layers.{k}." for k in range(self.depth)]
        read = nn.functional.pad(symbols.clamp(min=0)[:, :-1], (1, 0)).t()
        inputs = [weights[name + "weight_ih_l0"] for name in layers]
        of_hidden = [weights[name + "weight_hh_l0"] for name in layers]
        biases = [self._bias(name) for name in layers]
        of_symbol, of_feed = inputs[0].tensor_split([self.width], 1)
        of_symbols = linear(weights["decoder.embedding.weight"], of_symbol, biases[0])
        sums = of_symbols.index_select(0, read.flatten()).view(*read.shape, -1)
        if "decoder.attention.score" in weights:
            real = torch.arange(n_words, device=words.device) < lengths.unsqueeze(1)
            seen = vectors.transpose(0, 1) * real.unsqueeze(2)
            hides = torch.zeros_like(real, dtype=sums.dtype)
            drops = None
            if dropout:
                ones = sums.new_ones(self.depth - 1, *read.shape, self.width)
                drops = nn.functional.dropout(ones, dropout)
            written = FedDecoder.apply(
                sums,
                drops,
                hides.masked_fill(~real, float("-inf")),
                states,
                seen.contiguous(),
                linear(seen, weights["decoder.attention.key.weight"]),
                weights["decoder.attention.score"],
                weights["decoder.attention.query.weight"],
                of_feed,
                torch.stack(of_hidden),
                torch.stack(inputs[1:]),
                torch.stack(biases[1:]),
            )
        else:
            written = sums
            for k in range(self.depth):
                if k:
                    written = nn.functional.dropout(written, dropout, dropout > 0)
                    written = linear(written, inputs[k], biases[k])
                written, _ = Layer.apply(written, of_hidden[k], *states[k])
        output = weights["decoder.output.weight"], weights["decoder.output.bias"]
        logits = linear(written, *output)
        gold = symbols.t().flatten()
        loss = nn.functional.cross_entropy(
            logits.flatten(0, 1), gold, ignore_index=PADDING, reduction="sum"
        )
        return loss, logits


class Bucket:
    """Sentences of like length, padded: words, lengths and symbols, on the device."""

    def __init__(self, sentences: list[Any], n_symbols: int, batch_words: int) -> None:
        n_words = max(len(words) for words, _, _ in sentences)
        words = np.zeros((len(sentences), n_words), "int64")
        symbols = np.full((len(sentences), n_symbols), PADDING, "int64")
        for i, (sentence, target, _) in enumerate(sentences):
            words[i, : len(sentence)] = sentence[::-1]
            symbols[i, : len(target)] = target
        lengths = np.array([len(sentence) for sentence, _, _ in sentences])
        self.arrays = [
            torch.from_numpy(x).to(DEVICE) for x in (words, lengths, symbols)
        ]
        self.times = np.array([times for _, _, times in sentences])
        self.batch = max(4, min(MOST, batch_words // n_words) // 4 * 4)

    def batches(self, random: np.random.Generator) -> list[np.ndarray]:
        """Indices of an epoch's batches; what does not fill the last one is left out.

        A bucket too small for one batch fills it with copies, if it has a third.
        """
        times = np.floor(self.times + random.random(len(self.times))).astype(int)
        order = random.permutation(np.repeat(np.arange(len(times)), times))
        if self.batch // 3 <= len(order) < self.batch:
            order = np.resize(order, self.batch)
        ends = range(self.batch, len(order) + 1, self.batch)
        return [order[end - self.batch : end] for end in ends]


def read_buckets(folder: Path, times: list[float], batch_words: int) -> list[Bucket]:
    """The buckets of the corpora that an epoch has at all.

    Args:
        folder: What `gpu_data.py` wrote.
        times: How often an epoch has each corpus.
        batch_words: Padded words of a batch at most.
    """
    buckets: dict[int, list[Any]] = {}
    with np.load(folder / "sentences.npz") as arrays:
        for corpus, often in enumerate(times):
            if not often:
                continue
            n_words, n_symbols = (
                arrays[f"{corpus}.n_{x}"] for x in ("words", "symbols")
            )
            words = np.split(arrays[f"{corpus}.words"], n_words.cumsum()[:-1])
            symbols = np.split(arrays[f"{corpus}.symbols"], n_symbols.cumsum()[:-1])
            for sentence, target in zip(words, symbols, strict=True):
                for edge in EDGES:
                    if len(target) <= edge and len(sentence) <= 0.4 * edge + 2:
                        one = sentence, target, often
                        buckets.setdefault(edge, []).append(one)
                        break
    return [Bucket(found, n, batch_words) for n, found in sorted(buckets.items())]


class Training:
    """One folder's training."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.settings = json.loads((folder / "settings.json").read_text())
        with np.load(folder / "weights.npz") as arrays:
            self.network = Network({name: arrays[name] for name in arrays.files})
        self.weights = list(self.network.weights.values())
        times, n_words = self.settings["times"], self.settings["batch_words"]
        self.buckets = read_buckets(folder, times, n_words)
        self.dev = read_buckets(folder, [1], n_words)
        self.average = [weight.detach().clone() for weight in self.weights]
        self.best, self.kept = -1.0, self.average
        self.random = np.random.default_rng(self.settings["seed"])
        torch.manual_seed(self.settings["seed"])
        cuda = DEVICE == "cuda"
        self.rate = torch.zeros((), device=DEVICE)
        self.optimizer = torch.optim.Adam(
            self.weights,
            lr=self.rate,
            betas=(0.9, 0.999),
            capturable=cuda,
            fused=cuda,
        )
        for weight in self.weights:
            weight.grad = torch.zeros_like(weight)
        self.summed = torch.zeros(2, device=DEVICE)
        self.stream = torch.cuda.Stream() if cuda else None
        self.queue: list[tuple[int, np.ndarray]] = []
        self.events: list[torch.cuda.Event] = []
        self.log: list[dict[str, float]] = []
        self.n_updates = 0
        with self.on_stream():
            self.passes = self._passes()
        self.summed.zero_()

    def on_stream(self) -> Any:
        return (
            torch.cuda.stream(self.stream) if self.stream else contextlib.nullcontext()
        )

    def _passes(self) -> list[Any]:
        """For each bucket its batch, and what computes the gradients on it."""
        made: list[Any] = []
        pool = torch.cuda.graph_pool_handle() if self.stream else None
        for bucket in reversed(self.buckets):
            first = torch.arange(bucket.batch, device=DEVICE) % len(bucket.times)
            batch = [array[first] for array in bucket.arrays]

            def work(batch: list[Tensor] = batch) -> None:
                for weight in self.weights:
                    weight.grad.zero_()
                loss, _ = self.network.loss(*batch, self.settings["dropout"])
                (loss / len(batch[0])).backward()
                self.summed[0] += loss.detach()
                self.summed[1] += (batch[2] != PADDING).sum()

            if self.stream is None:
                made.append((batch, work))
                continue
            if not made:  # Libraries start.
                work()
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=pool, stream=self.stream):
                work()
            made.append((batch, graph.replay))
        return made[::-1]

    def update(self, done: float) -> None:
        """Learn from one batch when this share of the training is done."""
        if not self.queue:
            self.queue = [
                (i, batch)
                for i, bucket in enumerate(self.buckets)
                for batch in bucket.batches(self.random)
            ]
            self.random.shuffle(self.queue)
        number, chosen = self.queue.pop()
        batch, work = self.passes[number]
        places = torch.from_numpy(chosen).to(DEVICE)
        for array, all_of in zip(batch, self.buckets[number].arrays, strict=True):
            torch.index_select(all_of, 0, places, out=array)
        work()
        nn.utils.clip_grad_norm_(self.weights, 5.0)
        risen = min(1.0, (self.n_updates + 1) / self.settings["warmup"])
        self.rate.fill_(self.settings["learn_rate"] * risen * (1 - done))
        self.optimizer.step()
        self.n_updates += 1
        decay = min(0.999, self.n_updates / (self.n_updates + 9))
        with torch.no_grad():
            torch._foreach_lerp_(self.average, self.weights, 1 - decay)
        if self.stream:
            self.events.append(self.stream.record_event())
            # The GPU is a few updates behind at most.
            if len(self.events) > 3:
                self.events.pop(0).synchronize()

    @torch.no_grad()
    def check(self) -> None:
        """Log the loss and the right symbols, and keep the average if it is best."""
        network = copy.copy(self.network)
        network.weights = dict(zip(self.network.weights, self.average, strict=True))
        total = torch.zeros(3, device=DEVICE)
        for bucket in self.dev:
            for batch in zip(
                *(x.split(bucket.batch) for x in bucket.arrays), strict=True
            ):
                loss, logits = network.loss(*batch, 0.0)
                gold = batch[2].t()
                right = (logits.argmax(2) == gold).sum()
                total += torch.stack([loss, right, (gold != PADDING).sum()])
        loss, right, n_symbols = total.tolist()
        learnt, n_learnt = self.summed.tolist()
        self.summed.zero_()
        line = {
            "update": self.n_updates,
            "loss": round(learnt / max(1.0, n_learnt), 4),
            "dev loss": round(loss / n_symbols, 4),
            "right symbols, %": round(100 * right / n_symbols, 2),
        }
        self.log.append(line)
        print(self.folder.name, line, flush=True)
        if right > self.best or not self.settings["keep_best"]:
            self.best, self.kept = right, [one.clone() for one in self.average]

    def save(self) -> None:
        """Write the average, in half precision, and the log."""
        arrays = {
            name: weight.half().cpu().numpy()
            for name, weight in zip(self.network.weights, self.kept, strict=True)
        }
        np.savez(self.folder / "trained.npz", **arrays)
        (self.folder / "log.json").write_text(json.dumps(self.log, indent=1))


def main() -> None:
    """Train until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument(
        "--seconds", type=float, required=True, help="without the start"
    )
    arguments = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    trainings = [Training(folder) for folder in arguments.folders]
    start, checked = time.perf_counter(), 0
    done = 0.0
    while done < 1:
        for training in trainings:
            with training.on_stream():
                for _ in range(training.settings["turns"]):
                    training.update(min(done, 1.0))
        done = (time.perf_counter() - start) / arguments.seconds
        if done * CHECKS >= checked + 1:
            checked = int(done * CHECKS)
            for training in trainings:
                with training.on_stream():
                    training.check()
    for training in trainings:
        training.save()


if __name__ == "__main__":
    main()
