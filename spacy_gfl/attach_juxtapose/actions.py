"""The actions of gold trees as tensors, from which the network learns."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy
import torch
from torch import Tensor

from spacy_gfl.attach_juxtapose.config import DEEPEST, DEPTHS, LABELS_READ
from spacy_gfl.layers.padding import is_word
from spacy_gfl.layers.process import on_device


class Actions(NamedTuple):
    """The actions that write a tree, and the chains that they are taken in.

    Labels are numbered from 1; 0 is no label, and the root has the number after
    the last.

    Attributes:
        actions: Target, new label and parent label of every word, `(words, 3)`.
        chain_sizes: Nodes of the chain before every word, `(words,)`.
        chain_starts: Where each of these nodes begins, from the root down, one word
            after the other, `(nodes,)`.
        chain_labels: Their labels, `(nodes,)`.
        tags: The number of each word's tag, -1 for one not known, `(words,)`.
    """

    actions: numpy.ndarray
    chain_sizes: numpy.ndarray
    chain_starts: numpy.ndarray
    chain_labels: numpy.ndarray
    tags: numpy.ndarray


class ActionBatch(NamedTuple):
    """The actions of a batch as tensors; `EncodedSpans` has the padded sentences.

    Attributes:
        words: The places of the real words in the padded batch, `(words,)`.
        actions: Target, new label, parent label, `(words, 3)`.
        tags: `(words,)`, -1 for none.
        owners: The word that each node of a chain belongs to, `(nodes,)`.
        node_places: Where in its chain it stands.
        node_fences: The place of its first word in the padded batch.
        node_labels, mothers, children: Labels of the node and of its neighbours.
        node_depths: Its depth, counted from the bottom.
        target_nodes: Which node each word goes to, `(words,)`.
        labels_read: What the decoder reads, `(batch, padded words, 5)`.
        depths_read: The last target's depth, `(batch, padded words)`.
        deepest: The longest chain.
    """

    words: Tensor
    actions: Tensor
    tags: Tensor
    owners: Tensor
    node_places: Tensor
    node_fences: Tensor
    node_labels: Tensor
    mothers: Tensor
    children: Tensor
    node_depths: Tensor
    target_nodes: Tensor
    labels_read: Tensor
    depths_read: Tensor
    deepest: int

    @classmethod
    def of(cls, targets: Sequence[Actions], padded: Tensor) -> "ActionBatch":
        """Put the actions of sentences in the order of a padded batch.

        That is done on the CPU: a GPU would have to be waited for.
        """
        n_sents, n_words = padded.shape[:2]
        actions, sizes, starts, labels, tags = (
            torch.from_numpy(numpy.concatenate(arrays))
            for arrays in zip(*targets, strict=True)
        )
        lengths = torch.tensor([len(one.actions) for one in targets], device="cpu")
        words = is_word(lengths, n_words).flatten().nonzero().squeeze(1)
        bottoms = sizes.cumsum(0) - 1
        firsts = bottoms - sizes + 1
        owners = torch.arange(len(sizes), device="cpu").repeat_interleave(sizes)
        nodes = torch.arange(len(labels), device="cpu")
        node_places, node_depths = nodes - firsts[owners], bottoms[owners] - nodes
        fences = (words - words % n_words)[owners] + starts
        mothers = labels.roll(1).masked_fill(node_places == 0, 0)
        children = labels.roll(-1).masked_fill(node_depths == 0, 0)
        deepest = bottoms.unsqueeze(1) - torch.arange(DEEPEST, device="cpu")
        has_node = deepest >= firsts.unsqueeze(1)
        read = torch.where(has_node, labels[deepest.clamp(min=0)], 0)
        depths = (sizes - 1 - actions[:, 0]).clamp(max=DEPTHS - 1)
        last = torch.cat([actions[:, 1:], depths.unsqueeze(1)], dim=1)
        last = last.roll(1, 0).masked_fill((words % n_words == 0).unsqueeze(1), 0)
        everything = torch.cat([read, last], dim=1)
        table = everything.new_zeros(n_sents * n_words, LABELS_READ + 1)
        table = table.index_copy(0, words, everything).view(n_sents, n_words, -1)
        tensors = on_device(
            padded.device,
            words,
            actions,
            tags,
            owners,
            node_places,
            fences,
            labels,
            mothers,
            children,
            node_depths.clamp(max=DEPTHS - 1),
            firsts + actions[:, 0],
            table[:, :, :LABELS_READ],
            table[:, :, LABELS_READ],
        )
        return cls._make([*tensors, int(sizes.max())])
