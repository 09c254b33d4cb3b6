"""Assessment of contact forces by EN 50317, EN 50318, EN 50119 and EN 50367."""

from panhead.assess.criteria import DEFAULT_EDITION, Criterion, group_verdicts, overall
from panhead.assess.criteria_table import CriteriaTable, JudgedCriterion, judged_criteria
from panhead.assess.error_bars import with_error_bars
from panhead.assess.filters import low_pass
from panhead.assess.judge import Judgement, assess, judge, judgement
from panhead.assess.limits import editions
from panhead.assess.loss_of_contact import Losses, contact_losses
from panhead.assess.quantities import Site
from panhead.assess.statistics import ForceStatistics, force_statistics, histogram, spectrum
from panhead.assess.variant_comparison import VariantFigures, side_by_side
from panhead.assess.verdict_sentence import GroupSentence, verdict_sentence, verdict_sentences

__all__ = [
    "DEFAULT_EDITION",
    "CriteriaTable",
    "Criterion",
    "ForceStatistics",
    "GroupSentence",
    "JudgedCriterion",
    "Judgement",
    "Losses",
    "Site",
    "VariantFigures",
    "assess",
    "contact_losses",
    "editions",
    "force_statistics",
    "group_verdicts",
    "histogram",
    "judge",
    "judged_criteria",
    "judgement",
    "low_pass",
    "overall",
    "side_by_side",
    "spectrum",
    "verdict_sentence",
    "verdict_sentences",
    "with_error_bars",
]
