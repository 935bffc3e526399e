"""Sparse rows against plain lists."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.literal import added
from locomo.text.sparse import Rows, by_index, counted, postings, product, rows, sums, weighted

WIDTH = 5
lists = st.lists(st.lists(st.integers(0, WIDTH - 1), max_size=6), max_size=5)
values = st.floats(-1e6, 1e6)
exactly = settings(deadline=None, print_blob=True)


def entries(found: Rows) -> list[list[int]]:
    return [found.indices[a:b].tolist() for a, b in pairwise(found.indptr.tolist())]


@exactly
@given(lists)
def test_rows_postings_and_counts(given: list[list[int]]) -> None:
    found = rows(given, WIDTH)
    assert entries(found) == given and len(found) == len(given)
    holding = [[text for text, row in enumerate(given) if index in row] for index in range(WIDTH)]
    assert entries(postings(found)) == holding and postings(found).width == len(given)
    counts = counted(found)
    assert entries(counts) == [sorted(set(row)) for row in given]
    assert counts.data.tolist() == [row.count(index) for row in given for index in sorted(set(row))]


@exactly
@given(lists, lists, st.data())
def test_products_add_up_in_the_order_of_the_row(
    asked: list[list[int]], texts: list[list[int]], data: st.DataObject
) -> None:
    def some(given: list[list[int]]) -> list[list[float]]:
        return [[data.draw(values) for _ in row] for row in given]

    texts = [list(dict.fromkeys(row)) for row in texts]
    asking, holding = some(asked), some(texts)
    left = weighted(rows(asked, WIDTH), np.array([v for row in asking for v in row], np.float64))
    right = weighted(rows(texts, WIDTH), np.array([v for row in holding for v in row], np.float64))
    of_text = [dict(zip(*pair, strict=True)) for pair in zip(texts, holding, strict=True)]
    expected = [
        [added(v * text[i] for i, v in zip(row, vs, strict=True) if i in text) for text in of_text]
        for row, vs in zip(asked, asking, strict=True)
    ]
    assert product(left, by_index(right)).tolist() == expected
    assert sums(left).tolist() == [added(row) for row in asking]
    ones = [[float(len([i for i in row if i in text])) for text in of_text] for row in asked]
    assert product(rows(asked, WIDTH), postings(rows(texts, WIDTH))).tolist() == ones
