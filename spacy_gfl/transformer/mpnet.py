"""MPNet (Song et al. 2020), which curated-transformers lacks.

RoBERTa without types of pieces, whose attention knows how far two pieces are apart.
"""

import math
from collections.abc import Mapping
from typing import Any

import torch
from curated_transformers.models import RoBERTaEncoder
from torch import Tensor, nn

#: From so many pieces on, distances are not told apart.
FARTHEST = 128
#: Parts of names that RoBERTa's weights have otherwise.
NAMES = {
    "mpnet.": "",
    "attention.attn.q.": "attention.self.query.",
    "attention.attn.k.": "attention.self.key.",
    "attention.attn.v.": "attention.self.value.",
    "attention.attn.o.": "attention.output.dense.",
    "attention.LayerNorm.": "attention.output.LayerNorm.",
    "encoder.relative_attention_bias.": "distances.",
}


class MPNetEncoder(RoBERTaEncoder):
    """MPNet's encoder; `distances` has a score of each distance for each head."""

    def __init__(self, config: Any, n_distances: int = 32) -> None:
        super().__init__(config)
        heads = config.layer.attention.n_query_heads
        self.distances = nn.Embedding(n_distances, heads)
        for layer in self.layers:
            # No module, which would have the scores in each layer's weights.
            layer.mha.attention_scorer.linear_biases = self.with_distances

    @classmethod
    def from_hf_config(cls, *, hf_config: Any, device: Any = None) -> "MPNetEncoder":
        """Build an encoder of Hugging Face's config."""
        config = {**hf_config, "type_vocab_size": None}
        number = hf_config.get("relative_attention_num_buckets", 32)
        return cls(cls.config_from_hf(config), number)

    @classmethod
    def state_dict_from_hf(cls, params: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        """Weights by our names, from those of Hugging Face."""
        renamed = {}
        for name, weight in params.items():
            for theirs, roberta in NAMES.items():
                name = name.replace(theirs, roberta)
            renamed[name] = weight
        return super().state_dict_from_hf(renamed)

    def with_distances(self, *, attention_scores: Tensor) -> Tensor:
        """Attention scores `(batch, heads, pieces, pieces)`, distances counted in."""
        places = torch.arange(
            attention_scores.shape[-1], device=attention_scores.device
        )
        ahead = places - places[:, None]
        # Half of the numbers are of pieces ahead. Of either half, the first half are
        # of single distances, the others of ever longer ranges.
        n_each = self.distances.num_embeddings // 2
        n_single = n_each // 2
        away = ahead.abs()
        share = (away.clamp(min=1) / n_single).log() / math.log(FARTHEST / n_single)
        ranges = n_single + (share * (n_each - n_single)).long()
        number = torch.where(away < n_single, away, ranges.clamp(max=n_each - 1))
        bias = self.distances(number + n_each * (ahead > 0)).permute(2, 0, 1)
        return attention_scores + bias.to(attention_scores.dtype)
