"""An example of an external memory: BM25 over the lines of the turns, with the library bm25s.

`pip install -e '.[dev]'` brings the library; make's environment has it.
"""

import bm25s


class Memory:
    """Cites whole turns that share a word with the question."""

    partial = True
    """It may cite fewer than k turns: a turn that shares no word with the question is not cited."""

    def __init__(self, conversation, vocabulary):
        self.ids = [turn.id for turn in conversation.turns]
        self.index = bm25s.BM25()
        self.index.index(words([turn.line for turn in conversation.turns]), show_progress=False)

    def ask(self, question, k):
        """Return the ids of turns and their scores, best first; of equal scores the earlier turn first."""
        asked = words([question])[0]
        if not asked:
            return []
        scores = self.index.get_scores(asked).tolist()
        best = sorted(range(len(self.ids)), key=lambda turn: -scores[turn])[:k]
        return [(self.ids[turn], scores[turn]) for turn in best if scores[turn] > 0]


def words(texts):
    """Split each text into words, without English stop words."""
    return bm25s.tokenize(texts, return_ids=False, show_progress=False)
