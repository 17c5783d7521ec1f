"""Finding texts among lines that were made by hand or by hypothesis."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from computer_vision.lines import Found, closest, find
from computer_vision.reader import Line, Region, Word
from computer_vision.regions import union

HEIGHT, LETTER, SPACE = 12, 8, 6


def line(text: str, left: int = 10, top: int = 10, *, gap: int = SPACE) -> Line:
    """A line as a reader gives it; words are parted by ``gap`` pixels, by a column's width at a bar."""
    words: list[Word] = []
    for part in text.split():
        if part == "|":
            left += 20 * HEIGHT
            continue
        region = Region(left, top, LETTER * len(part), HEIGHT)
        words.append(Word(text=part, region=region, score=0.9))
        left = region.right + gap
    return Line(words=tuple(words))


def texts(found: tuple[Found, ...]) -> list[str]:
    return [match.text for match in found]


def test_a_phrase_is_found_at_the_box_around_its_words() -> None:
    (match,) = find([line("Please press Submit Order now")], "submit order")
    assert match.text == "Submit Order"
    assert match.region == Region(10 + 11 * LETTER + 2 * SPACE, 10, 11 * LETTER + SPACE, HEIGHT)


def test_the_same_letters_score_one() -> None:
    assert find([line("Submit Order")], "Submit Order")[0].score == 1.0


def test_a_label_of_its_own_is_better_than_the_word_in_a_sentence() -> None:
    lines = [line("Save changes before closing?"), line("Save", top=60), line("Close without Save", top=90)]
    found = find(lines, "Save")
    assert found[0].region.top == 60
    assert found[0].score > found[1].score


def test_a_label_beside_another_column_counts_as_one_of_its_own() -> None:
    assert find([line("Save | Ctrl+S")], "Save")[0].score == 1.0


def test_a_label_beside_a_tick_box_read_as_a_letterless_word_counts_as_one_of_its_own() -> None:
    (match,) = find([line("© Standard")], "standard")
    assert match.text == "Standard"
    assert match.score == pytest.approx(0.99)


def test_equal_texts_at_different_places_are_all_returned_in_reading_order() -> None:
    found = find([line("Delete"), line("Delete", top=50), line("Delete", left=200, top=50)], "Delete")
    assert [(match.region.left, match.region.top) for match in found] == [(10, 10), (10, 50), (200, 50)]
    assert len({match.score for match in found}) == 1


@pytest.mark.parametrize(
    ("read", "query"),
    [
        ("Submt", "Submit"),
        ("Subrnit Order", "Submit Order"),
        ("lnvoice", "Invoice"),
        ("l0 items", "10 items"),
        ("OK", "0K"),
        ("modem", "modern"),
        ("Narne", "Name"),
        ("Send newsIetter", "Send newsletter"),
        ("Pear Ada,", "Dear Ada"),
        ("Open...", "Open"),
        ("Name:", "Name"),
        ("Sign in", "Signin"),
        ("Cancei", "cancel"),
        ("No.7", "No. 7"),
        ("1,118.40 EUR", "1.118,40 EUR"),
    ],
)
def test_slips_of_a_reader_are_forgiven_at_a_lower_score(read: str, query: str) -> None:
    (match,) = find([line(read)], query)
    assert 0.5 < match.score < 1
    assert match.text == read


@pytest.mark.parametrize(
    ("read", "query"),
    [
        ("Same", "Save"),
        ("Save", "Saved"),
        ("إنشاء", "إنهاء"),
        ("Item 13", "Item 12"),
        ("Total 500", "Total 900"),
        ("Item", "Item 1"),
        ("Cancel", "Create"),
        ("On", "No"),
        ("Delete account", "Create account"),
    ],
)
def test_another_text_is_not_a_slip(read: str, query: str) -> None:
    assert find([line(read)], query) == ()


@pytest.mark.parametrize("mark", ["★", "□", "▸", "●", "✓"])
def test_what_is_drawn_before_or_after_a_word_is_no_part_of_it(mark: str) -> None:
    for read in (f"{mark}A4", f"A4{mark}"):
        (match,) = find([line(read)], "A4")
        assert match.text == "A4"
        assert match.score == 1.0
        assert match.region.width < line(read).words[0].region.width
    (match,) = find([line(f"{mark}退出登录")], "退出登录")
    assert match.score == 1.0


@pytest.mark.parametrize("between", [">", "\u00bb", "\u203a", "|", "\u00b7", "\u2022", "\u2192", "<"])
def test_what_a_mark_parts_is_found_as_a_label_though_no_space_was_read(between: str) -> None:
    read = line(between.join(("Home", "Garden", "Tools")))
    (match,) = find([read], "Garden")
    assert (match.text, match.score) == ("Garden", 1.0)
    assert match.region.left == 10 + 5 * LETTER
    assert find([read], between.join(("Home", "Garden")), exact=True)


@pytest.mark.parametrize("between", ["/", ","])
def test_what_a_slash_or_comma_parts_counts_as_a_part_of_a_longer_label(between: str) -> None:
    read = [line(f"Fetch{between}Push"), line("Fetch", top=50)]
    assert [match.region.top for match in find(read, "Fetch")] == [50, 10]
    assert find(read, "Push")[0].score == pytest.approx(0.9)


@pytest.mark.parametrize("text", ["1,540", "3/4", "12/24", "w/o", "a,b"])
def test_numbers_and_abbreviations_stay_whole(text: str) -> None:
    assert find([line(text)], text)[0].score == 1.0
    assert not find([line(text)], text[0])


def test_a_number_with_a_sign_is_another_number() -> None:
    lines = [line("57"), line("+57 Dashboard", top=60)]
    assert [match.region.top for match in find(lines, "+57")] == [60]
    assert not find([line("-57")], "57")


def test_of_a_label_with_an_arrow_that_with_it_is_meant() -> None:
    lines = [line("Fetch"), line("Fetch\u203a", top=60)]
    best, other = find(lines, "Fetch \u203a")
    assert best.region.top == 60
    assert best.score - other.score > 0.02
    assert find([line("Fetch")], "Fetch \u203a")


def test_a_part_of_a_word_is_found_only_when_nothing_else_is() -> None:
    assert texts(find([line("Saved"), line("Save", top=50)], "Save")) == ["Save"]
    (match,) = find([line("Saved | Files")], "Save")
    assert match.text == "Saved"
    assert match.score <= 0.5


def test_a_part_of_a_glued_word_is_about_where_its_letters_are() -> None:
    (match,) = find([line("SunMon")], "Mon")
    assert match.region == Region(10 + 3 * LETTER, 10, 3 * LETTER, HEIGHT)


def test_exact_takes_the_same_characters_only() -> None:
    lines = [line("save"), line("Save", top=40), line("Save...", top=70), line("Saved", top=100)]
    assert [match.region.top for match in find(lines, "Save", exact=True)] == [40]
    assert find(lines, "SAVE", exact=True) == ()


def test_a_phrase_may_go_on_in_the_line_right_below() -> None:
    lines = [line("I accept the terms"), line("and conditions", top=26)]
    (match,) = find(lines, "terms and conditions")
    assert match.text == "terms and conditions"
    assert match.region == union((lines[0].words[-1].region, *(word.region for word in lines[1].words)))
    assert match.score < find([line("terms and conditions")], "terms and conditions")[0].score


def test_a_centred_label_of_two_lines_is_one() -> None:
    upper, lower = line("Check out", left=100), line("now", left=123, top=26)
    assert texts(find([upper, lower], "check out now")) == ["Check out now"]


@pytest.mark.parametrize(("left", "top"), [(10, 60), (400, 26), (10, -30)])
def test_a_phrase_does_not_go_on_elsewhere(left: int, top: int) -> None:
    assert find([line("terms and"), line("conditions", left=left, top=top)], "terms and conditions") == ()


def test_a_phrase_does_not_go_on_from_the_middle_of_a_line() -> None:
    assert find([line("terms and more"), line("conditions", top=26)], "terms and conditions") == ()


def test_words_of_different_columns_are_never_a_phrase() -> None:
    assert find([line("First | name")], "First name") == ()
    assert find([line("First", left=10), line("name", left=400)], "First name") == ()


def test_a_repeated_word_does_not_pair_with_itself() -> None:
    assert find([line("no")], "no no") == ()
    assert len(find([line("no no no")], "no no")) == 1


def test_a_query_without_characters_is_refused() -> None:
    with pytest.raises(ValueError, match='"  ", which has no characters'):
        find([line("Save")], "  ")


def test_a_query_of_signs_is_found() -> None:
    assert texts(find([line("- | 7 | +")], "+")) == ["+"]


def test_what_comes_closest_is_named_best_first() -> None:
    lines = [line("Save as"), line("Send"), line("Cancel"), line("Save all files now", top=50)]
    assert closest(lines, "Save az")[0] == "Save as"
    assert "Cancel" not in closest(lines, "Save az")
    assert len(closest(lines, "Save az", n=1)) == 1
    assert closest([], "Save") == ()
    assert closest([line("xyz")], "Save") == ()


@pytest.mark.parametrize("query", ["保存", "另存为", "保存 文件"])
def test_a_label_inside_unspaced_text_is_found_at_its_characters(query: str) -> None:
    (match,) = find([line("请保存文件或另存为新文件")], query)
    begins = "请保存文件或另存为新文件".index(query.replace(" ", ""))
    assert match.region.left == 10 + LETTER * begins
    assert match.region.width == LETTER * len(query.replace(" ", ""))


@pytest.mark.parametrize("query", ["صندوق الوارد", "صندوق الوارد"[::-1], "\u200fصندوق الوارد\u200e"])
def test_right_to_left_text_is_found_however_it_is_typed(query: str) -> None:
    first = Word(text="صندوق", region=Region(100, 10, 40, HEIGHT), score=0.9)
    second = Word(text="الوارد", region=Region(50, 10, 44, HEIGHT), score=0.9)
    (match,) = find([Line(words=(first, second))], query)
    assert match.region == Region(50, 10, 90, HEIGHT)


def test_a_part_of_a_word_stands_at_the_edges_that_the_reader_gave() -> None:
    word = Word(text="SunMon", region=Region(0, 0, 60, HEIGHT), score=0.9, edges=(0, 20, 30, 36, 50, 55, 60))
    (match,) = find([Line(words=(word,))], "Mon")
    assert match.region == Region(36, 0, 24, HEIGHT)


def test_a_look_alike_is_worth_less_than_the_same_characters() -> None:
    found = find([line("Ctrl+0"), line("Ctrl+O", top=50)], "Ctrl+O")
    assert [match.text for match in found] == ["Ctrl+O", "Ctrl+0"]


words_of_a_line = st.lists(
    st.text(alphabet="abcdefghjkmnopqrstuvwxyzABCDEFGH23456789äß", min_size=1, max_size=9),
    min_size=1,
    max_size=8,
    unique=True,
)


@given(words_of_a_line, st.data(), st.integers(0, HEIGHT))
def test_consecutive_words_are_found_at_exactly_their_box(
    words: list[str], data: st.DataObject, gap: int
) -> None:
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    made = line(" ".join(words), gap=gap)
    box = union(word.region for word in made.words[start:end])
    best = find([made], " ".join(words[start:end]))[0]
    assert best.region == box
    assert best.text == " ".join(words[start:end])


@given(words_of_a_line, st.data())
def test_words_parted_by_a_column_are_never_found_together(words: list[str], data: st.DataObject) -> None:
    assume(len(words) > 1)
    cut = data.draw(st.integers(1, len(words) - 1))
    made = line(" ".join([*words[:cut], "|", *words[cut:]]))
    for match in find([made], " ".join(words)):
        inside = [word for word in made.words if match.region.left <= word.region.left < match.region.right]
        gaps = [b.region.left - a.region.right for a, b in pairwise(inside)]
        assert all(gap <= SPACE for gap in gaps)


@given(st.lists(words_of_a_line, min_size=1, max_size=5), st.text(min_size=1, max_size=20))
def test_scores_fall_and_no_word_serves_twice(rows: list[list[str]], query: str) -> None:
    assume(query.strip())
    lines = [line(" ".join(row), top=10 + 20 * index) for index, row in enumerate(rows)]
    found = find(lines, query)
    assert all(a.score >= b.score for a, b in pairwise(found))
    assert len({match.region for match in found}) == len(found)
    assert all(0 < match.score <= 1 for match in found)


@given(
    st.lists(st.text("bdefghjkpqxyz", min_size=1, max_size=9), min_size=1, max_size=4),
    st.data(),
)
def test_a_wrong_letter_in_a_long_text_is_forgiven_wherever_it_is(
    words: list[str], data: st.DataObject
) -> None:
    text = " ".join(words)
    letters = text.replace(" ", "")
    assume(len(letters) >= 5)
    place = data.draw(st.sampled_from([at for at, letter in enumerate(text) if letter != " "]))
    slipped = f"{text[:place]}w{text[place + 1 :]}"
    (match, *_) = find([line("above it"), line(slipped, top=40), line("below it", top=200)], text)
    assert match.text == slipped


def test_screens_may_be_searched_by_threads_at_the_same_time() -> None:
    screens = [[(line(f"Save {name} {number}"),) for number in range(2000)] for name in "abcd"]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(len(screens)) as pool:
            found = list(pool.map(lambda own: [find(lines, "save")[0].text for lines in own], screens))
    finally:
        sys.setswitchinterval(interval)
    assert found == [["Save"] * 2000] * len(screens)


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("入カメソッド", "入力メソッド"),
        ("ロールー覧", "ロール一覧"),
        ("フオルダヘ", "フォルダへ"),
        ("リストピュー", "リストビュー"),
        ("설정 파일늘 사용", "설정 파일을 사용"),
    ],
)
def test_what_no_reader_tells_apart_in_japanese_and_korean_is_forgiven(said: str, asked: str) -> None:
    (match,) = find([line(said)], asked)
    assert match.score < 1.0


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("下書き保存", "上書き保存"),
        ("ブロックデバイス", "空ブロック"),
        ("バス", "パス"),
        ("列Aを削除する", "列Bを削除する"),
        ("수동 저장", "자동 저장"),
    ],
)
def test_another_character_is_another_text_in_chinese_japanese_and_short_korean(
    said: str, asked: str
) -> None:
    assert find([line(said)], asked) == ()
