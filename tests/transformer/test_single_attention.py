import pytest
import torch
from torch.nn import functional

from spacy_gfl.transformer.single_attention import SinglePrecisionAttention

attention = functional.scaled_dot_product_attention


@pytest.mark.usefixtures("seeded")
def test_attention_and_its_gradients_are_in_single_precision_among_rough_products():
    states, weights = torch.randn(2, 3, 5, 4), torch.randn(4, 4)
    mask = torch.zeros(2, 1, 5, 5).masked_fill(torch.ones(5, 5).triu(1) > 0, -1e4)
    rough = torch.autocast("cpu", dtype=torch.bfloat16)
    with rough, SinglePrecisionAttention():
        query = functional.linear(states, weights)
        key = query.detach().requires_grad_()
        found = attention(query, key, value=key, attn_mask=mask.bfloat16())
    assert query.dtype == torch.bfloat16
    wanted = attention(query.float(), key.float(), key.float(), mask)
    assert found.dtype == torch.float32
    assert torch.equal(found, wanted)
    with rough:
        assert attention(query, key, key).dtype == torch.bfloat16
