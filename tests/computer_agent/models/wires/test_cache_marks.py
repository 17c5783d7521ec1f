"""The marks for a provider's cache."""

from computer_agent.models.wires.cache_marks import marked


def test_the_end_of_the_pruned_zone_is_marked_whatever_was_dropped_there_pictures_or_lists() -> None:
    messages = [
        {"role": ("user", "assistant")[n % 2], "content": f"turn {n}, [list removed]"} for n in range(7)
    ]
    with_mark = [n for n, each in enumerate(marked(messages, 3)) if "cache_control" in str(each)]
    assert with_mark == [2, 4, 6]


def test_without_a_drop_the_last_two_turns_are_marked() -> None:
    messages = [
        {"role": "user", "content": "one"},
        {"role": "user", "content": [{"type": "text", "text": "two"}]},
    ]
    assert [each["content"][-1]["cache_control"] for each in marked(messages, 0)] == [
        {"type": "ephemeral"}
    ] * 2
