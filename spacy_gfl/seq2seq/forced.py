"""Teacher forcing of a decoder that is fed its attention, with its gradient by hand.

What attention finds at a step is read by the next one, so there is a loop over steps.
PyTorch's graph of it has some hundred nodes a step, of which those of the weights add
up gradients as large as the weights. Here the loop keeps what each step read and
wrote, goes back over the steps once, and the gradient of every weight is one product
of all steps.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

_tanh_backward = torch.ops.aten.tanh_backward
_sigmoid_backward = torch.ops.aten.sigmoid_backward


class ForcedSteps(torch.autograd.Function):
    """All steps of a decoder of LSTM layers with input feeding.

    Steps are packed as in `torch.nn.utils.rnn.PackedSequence`: the first symbol of
    all sentences, then the second, the sentence with most symbols first.
    Products are of the weights' type, everything else of `sums`' type.
    """

    @staticmethod
    def forward(
        ctx: Any,
        n_rows: Sequence[int],
        bounded: bool,
        drops: Sequence[Tensor],
        mask: Tensor,
        sums: Tensor,
        states: Tensor,
        vectors: Tensor,
        keys: Tensor,
        score: Tensor,
        query: Tensor,
        *layers: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Run the steps.

        Args:
            ctx: PyTorch's context of the function.
            n_rows: How many sentences have a first symbol, a second one, ...
            bounded: Whether h is made of tanh(m), or of m as in the paper.
            drops: For each layer but the last what its h is multiplied with before
                the next reads it, `(all steps, width)`; empty without dropout.
            mask: False at padding, `(batch, words)`.
            sums: What the symbols add to the first layer's sums, `(all steps, 4 *
                width)`.
            states: h and m of each layer before the first symbol, `(depth, 2, batch,
                width)`.
            vectors: Encoder states, `(batch, words, width)`.
            keys: Encoder states through W1 of the attention, `(batch, words, width)`.
            score: v of the attention, `(width,)`.
            query: W2 of the attention, `(width, width)`.
            *layers: The weights of all layers, then the biases of all but the first.
                A layer's weights are `(4 * width, inputs + width)`, what it reads
                besides its own h first.

        Returns:
            `[d; d']` of all steps `(all steps, 2 * width)`, and the attention weights
            `(steps, batch, words)`, zero where a sentence is over.
        """
        depth, width = len(states), len(score)
        weights, biases = layers[:depth], layers[depth:]
        n_sents, n_words, _ = vectors.shape
        starts = [0, *accumulate(n_rows)]
        read = [weight.new_empty(len(sums), weight.shape[1]) for weight in weights]
        gates = [torch.empty_like(sums) for _ in weights]
        memories = [sums.new_empty(len(sums), width) for _ in weights]
        both = sums.new_empty(len(sums), 2 * width)
        queries = sums.new_empty(len(sums), width)
        looked = sums.new_zeros(len(n_rows), n_sents, n_words)
        feed = sums.new_zeros(n_sents, 2 * width)
        hidden, memory = list(states[:, 0]), list(states[:, 1])
        hides = torch.zeros_like(mask, dtype=sums.dtype)
        hides.masked_fill_(~mask, float("-inf"))
        for t, n in enumerate(n_rows):
            at = slice(starts[t], starts[t + 1])
            below = feed[:n]
            for k, weight in enumerate(weights):
                inputs, opened, m = read[k][at], gates[k][at], memories[k][at]
                inputs[:, :-width] = below
                inputs[:, -width:] = hidden[k][:n]
                found = (inputs @ weight.t()).to(sums.dtype)
                found += biases[k - 1] if k else sums[at]
                torch.sigmoid(found, out=opened)
                i, f, candidate, o = opened.chunk(4, dim=1)
                torch.tanh(found[:, 2 * width : 3 * width], out=candidate)
                torch.mul(memory[k][:n], f, out=m).addcmul_(i, candidate)
                memory[k] = m
                hidden[k] = below = (m.tanh() if bounded else m) * o
                if drops and k < depth - 1:
                    below = below * drops[k][at]
            d = both[at, :width] = hidden[-1]
            queries[at] = d.to(query.dtype) @ query.t()
            seen = keys[:n] + queries[at].unsqueeze(1)
            scores = seen.tanh_() @ score + hides[:n]
            looked[t, :n] = a = scores.softmax(dim=1)
            both[at, width:] = torch.bmm(a.unsqueeze(1), vectors[:n]).squeeze(1)
            feed = both[at]
        saved = states, vectors, keys, score, query, looked, queries, both
        ctx.save_for_backward(*saved, *weights, *read, *gates, *memories)
        ctx.n_rows, ctx.starts, ctx.drops, ctx.bounded = n_rows, starts, drops, bounded
        ctx.mark_non_differentiable(looked)
        return both, looked

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_both: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients of what `forward` was given."""
        states, vectors, keys, score, query, looked, queries, both, *rest = (
            ctx.saved_tensors
        )
        depth, width = len(states), len(score)
        weights, read, gates, memories = (
            rest[i : i + depth] for i in range(0, 4 * depth, depth)
        )
        d_sums = [torch.empty_like(part) for part in gates]
        d_queries = torch.empty_like(queries)
        d_states = torch.zeros_like(states)
        d_keys, d_score = torch.zeros_like(keys), torch.zeros_like(score)
        d_attended = both.new_zeros(*looked.shape[:2], width)
        d_feed = both.new_zeros(len(vectors), 2 * width)
        for t in range(len(ctx.n_rows) - 1, -1, -1):
            n, at = ctx.n_rows[t], slice(ctx.starts[t], ctx.starts[t + 1])
            d_d, d_found = (d_both[at] + d_feed[:n]).chunk(2, dim=1)
            d_attended[t, :n] = d_found
            a = looked[t, :n]
            d_a = torch.bmm(vectors[:n], d_found.unsqueeze(2)).squeeze(2)
            d_scores = a * (d_a - (a * d_a).sum(dim=1, keepdim=True))
            seen = (keys[:n] + queries[at].unsqueeze(1)).tanh_()
            d_score += d_scores.flatten() @ seen.flatten(0, 1)
            d_seen = _tanh_backward(d_scores.unsqueeze(2).expand_as(seen), seen)
            # Both are multiplied by v after the loop.
            d_keys[:n] += d_seen
            d_query = d_queries[at]
            torch.mul(d_seen.sum(dim=1), score, out=d_query)
            d_hidden = d_d + (d_query.to(query.dtype) @ query)
            for k in range(depth - 1, -1, -1):
                d_h, d_m = d_states[k, 0, :n], d_states[k, 1, :n]
                i, f, candidate, o = gates[k][at].chunk(4, dim=1)
                d_hidden = d_hidden + d_h
                m = memories[k][at]
                before = states[k, 1]
                if t:
                    before = memories[k][ctx.starts[t - 1] : ctx.starts[t]]
                shown = m.tanh() if ctx.bounded else m
                d_shown = d_hidden * o
                d_m += _tanh_backward(d_shown, shown) if ctx.bounded else d_shown
                d_gates = d_sums[k][at]
                d_i, d_f, d_candidate, d_o = d_gates.chunk(4, dim=1)
                torch.mul(d_m, candidate, out=d_i)
                torch.mul(d_m, before[:n], out=d_f)
                torch.mul(d_hidden, shown, out=d_o)
                d_gates.copy_(_sigmoid_backward(d_gates, gates[k][at]))
                d_candidate.copy_(_tanh_backward(d_m * i, candidate))
                d_m *= f
                d_read = (d_gates.to(weights[k].dtype) @ weights[k]).to(both.dtype)
                d_h.copy_(d_read[:, -width:])
                d_hidden = d_read[:, :-width]
                if ctx.drops and k:
                    d_hidden = d_hidden * ctx.drops[k - 1][at]
            d_feed[:n] = d_hidden
        d_keys *= score
        d_vectors = torch.bmm(looked.permute(1, 2, 0), d_attended.transpose(0, 1))
        d_query = d_queries.to(query.dtype).t() @ both[:, :width].to(query.dtype)
        d_weights = [
            d_sum.to(inputs.dtype).t() @ inputs
            for d_sum, inputs in zip(d_sums, read, strict=True)
        ]
        d_biases = [d_sum.sum(dim=0) for d_sum in d_sums[1:]]
        rest = [d_vectors, d_keys, d_score, d_query, *d_weights, *d_biases]
        return None, None, None, None, d_sums[0], d_states, *rest
