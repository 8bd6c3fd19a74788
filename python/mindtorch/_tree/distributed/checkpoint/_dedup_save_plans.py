"""Chooses which rank writes an item that several ranks have."""

from dataclasses import replace

from .planner import SavePlan

__all__ = ["dedup_save_plans"]


def dedup_save_plans(all_plans: list[SavePlan], save_to_lowest_rank: bool = False) -> list[SavePlan]:
    """Returns plans in which each item is in one only: in that with the fewest bytes so far, or in the first.

    Args:
        all_plans (list[SavePlan]): the ranks' plans; they stay as they are.
        save_to_lowest_rank (bool): whether it is the first. Default: ``False``.

    Returns:
        list[SavePlan]: the new plans.
    """
    ranks_of, bytes_of, writer = {}, {}, {}
    for rank, plan in enumerate(all_plans):
        for item in plan.items:
            ranks_of.setdefault(item.index, {})[rank] = None
            bytes_of[item.index] = item.tensor_storage_size() or 1  # other objects count as almost nothing
    load = [0] * len(all_plans)
    for index, ranks in ranks_of.items():
        writer[index] = min(ranks) if save_to_lowest_rank else min(ranks, key=load.__getitem__)
        load[writer[index]] += bytes_of[index]
    return [
        replace(plan, items=[item for item in plan.items if writer[item.index] == rank])
        for rank, plan in enumerate(all_plans)
    ]
