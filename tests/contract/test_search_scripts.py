"""Search in every script: words within runs, forms of letters, signs, quotation marks."""

from urllib.parse import urlencode

import pytest

from tests.support.app import Agent, App
from tests.support.faces import Face

pytestmark = pytest.mark.checks_input  # one index serves both engines


@pytest.fixture
def alice(stoa: App) -> Agent:
    return stoa.agent("alice")


def found(stoa: App, q: str, **more: str) -> list[str]:
    answer = stoa.get(f"search?{urlencode({'q': q, **more})}").ok()
    return [row["id"] for row in answer["threads"]]


SENTENCES = {
    "Chinese": ("如何备份数据库的文件", ["备份", "数据库", "文件", "数据", "数据库备份"]),
    "Japanese": ("新しいデータベースを東京で使う猫", ["データベース", "東京", "猫", "使う"]),
    "Thai": ("ฉันเรียนภาษาไทยทุกวัน", ["ภาษา", "ภาษาไทย", "เรียน"]),
    "Khmer": ("ខ្ញុំរៀនភាសាខ្មែររាល់ថ្ងៃ", ["ភាសា", "ខ្មែរ"]),
    "Lao": ("ຂ້ອຍຮຽນພາສາລາວທຸກມື້", ["ພາສາ", "ລາວ"]),
    "Burmese": ("ကျွန်တော်မြန်မာစာသင်နေသည်", ["မြန်မာ", "စာ"]),
    "Korean": ("서버에서 데이터베이스를 복구하는", ["서버", "데이터베이스", "복구"]),
    "mixed": ("用Python3写Web服务器", ["python3", "web", "服务器", "Python3写"]),
    "Hindi": ("हिन्दी में खोज", ["हिन्दी", "खोज"]),
}


@pytest.mark.promise("X22")
def test_words_within_sentences_of_nine_languages_are_found(stoa: App, alice: Agent) -> None:
    threads = {name: alice.thread("A", text)["id"] for name, (text, _) in SENTENCES.items()}
    alice.thread("B", "plain words of none of them")
    for name, (_, words) in SENTENCES.items():
        for word in words:
            assert found(stoa, word) == [threads[name]], (name, word)
            assert threads[name] not in found(stoa, f"plain -{word}"), (name, word)


def test_a_phrase_in_a_script_without_blanks_is_found_as_written_alone(
    stoa: App, alice: Agent
) -> None:
    backup, other = alice.thread("A", "数据库备份")["id"], alice.thread("B", "备份数据库")["id"]
    assert set(found(stoa, "数据库备份")) == {backup, other}
    assert found(stoa, "数据库备份")[0] == backup
    assert found(stoa, '"数据库备份"') == [backup]
    assert found(stoa, "「备份数据库」") == [other]
    assert found(stoa, "数据 -备份数") == [backup]


def test_each_word_between_blanks_is_asked_for(stoa: App, alice: Agent) -> None:
    for first, second in (
        ("备份", "内存"),
        ("数据备份", "内存泄漏"),
        ("バックアップ", "データベース"),
        ("백업", "메모리"),
    ):
        alice.thread("A", f"{first}。")
        alice.thread("B", f"{second}。")
        both = alice.thread("C", f"{first}。{second}。")["id"]
        assert found(stoa, f"{first} {second}") == [both]
    nothing = stoa.get(f"search?{urlencode({'q': '备份 火锅'})}").ok()
    assert (nothing["threads"], nothing["unknownWords"]) == ([], ["火锅"])


def test_a_text_with_a_rare_pair_of_a_question_is_no_answer_to_it(stoa: App, alice: Agent) -> None:
    for n in range(60):
        alice.thread("Others", f"in English {n}")
    wanted = {
        alice.thread("A", text)["id"]: q
        for text, q in (
            ("写真の背景を透明にする方法を教えてください", "背景を透明にしたい"),
            ("ร้านอาหารอร่อยแถวสยาม", "ร้านอาหารแถวไหน"),
            ("请问如何申请去日本的签证", "日本签证怎么申请"),
        )
    }
    for thread, q in wanted.items():
        assert found(stoa, q) == [thread]
    for q in ("料理を上手に作る方法", "ร้านซ่อมรถยนต์ใกล้ฉัน", "请问哪里可以买到便宜的自行车"):
        assert found(stoa, q) == []


@pytest.mark.parametrize(
    ("text", "q"),
    [
        ("Straße", "strasse"), ("STRASSE", "straße"), ("ﬁle", "file"), ("ＡＢＣ１２", "abc12"),
        ("ﾃﾞｰﾀ", "データ"), ("שָׁלוֹם", "שלום"), ("مُحَمَّد", "محمد"), ("كتـــاب", "كتاب"),
        ("soft\u00adhyphen", "softhyphen"), ("zero\u200bwidth", "zerowidth"), ("x²", "x2"),
        ("Łódź", "lodz"), ("Ørsted", "orsted"), ("ısı", "isi"), ("①", "1"), ("㎏", "kg"),
        ("Æsop", "aesop"), ("ﷲ", "الله"), ("word\ufeffjoiner", "wordjoiner"), ("ﬀ", "ff"),
        ("カ\u3099", "ガ"), ("ǆ", "dž"),
    ],
)  # fmt: skip
def test_forms_of_the_same_letters_are_found(stoa: App, alice: Agent, text: str, q: str) -> None:
    thread = alice.thread("A", f"Before {text} behind")["id"]
    assert found(stoa, q) == found(stoa, f'"before {q} behind"') == [thread]


@pytest.mark.parametrize(
    ("sign", "plain"),
    [
        ("C++", "C"), ("C#", "C"), ("F#", "F"), (".NET", "NET"), ("node.js", "node js"),
        ("ASP.NET", "ASP, NET"), ("setup.py", "setup py"), ("v1.2.3", "v1 2 3"),
    ],
)  # fmt: skip
def test_the_thread_with_the_sign_comes_first(
    stoa: App, alice: Agent, sign: str, plain: str
) -> None:
    with_sign = alice.thread("A", f"How to learn {sign}, quickly")["id"]
    without = alice.thread("B", f"How to learn {plain} quickly")["id"]
    assert found(stoa, sign) == [with_sign, without]
    assert found(stoa, f"learn {sign.lower()}") == [with_sign, without]
    assert found(stoa, f"learn -{sign}") == [without]
    assert found(stoa, f'"{sign}"') == [with_sign]


@pytest.mark.parametrize(
    "marks",
    [
        '""',
        "“”",
        "„“",
        "«»",
        "‹›",
        "「」",
        "『』",
        "＂＂",
        "‘’",
        "''",
        "„”",
        "〝〞",
        "‚‘",
        "’’",
        "❝❞",
        "❛❜",
        "＇＇",
    ],
)
def test_common_quotation_marks_make_a_phrase(stoa: App, alice: Agent, marks: str) -> None:
    phrase = alice.thread("A", "the busy timeout of it")["id"]
    alice.thread("B", "a timeout while busy")
    assert found(stoa, f"{marks[0]}busy timeout{marks[1]}") == [phrase]
    assert len(found(stoa, "it's busy")) == 0


def test_a_command_or_a_message_is_found_that_has_other_names(stoa: App, alice: Agent) -> None:
    command = alice.thread("a", "I tried git rebase -i, then push --force")["id"]
    message = alice.thread("b", "AttributeError: 'NoneType' object has no attribute 'split'")["id"]
    alice.thread("c", "I strip an attribute, and the Request is forced by another error")
    assert found(stoa, "git rebase -i") == found(stoa, "git push --force") == [command]
    for own in ("'NoneType' object has no attribute 'body'", "‘None’ attribute of object ‘split’"):
        assert found(stoa, f"AttributeError: {own}") == [message]
    assert found(stoa, "object 'attribute split'") == [message]
    assert found(stoa, "object 'split attribute'") == []


def test_a_snippet_shows_the_place_within_a_run(stoa: App, alice: Agent) -> None:
    alice.thread("A", "其他的话。" * 100 + "如何备份数据库的文件" + "其他的话。" * 100)
    alice.thread("B", "softer\u00ad " * 90 + "Straße und C++ " + "behind " * 100)
    for q, shown in (("备份", "如何备份数据库"), ("strasse", "Straße"), ("C++", "und C++")):
        (row,) = stoa.get(f"search?{urlencode({'q': q})}").ok()["threads"]
        assert shown in row["match"]["snippet"]["body"]


@pytest.mark.parametrize("q", ["🧪", "!!!", "   "])
def test_a_search_says_that_there_is_no_word_to_search_for(
    stoa: App, face: Face, alice: Agent, q: str
) -> None:
    said = "It has no word to search for, so it was ignored."
    alice.thread()
    answer = face.call("search_threads", {"q": q}).ok()
    assert len(answer["threads"]) == 1
    ((path, message),) = answer.warnings.items()
    assert (path.removeprefix("query."), message) == ("q", said)
    assert "warnings" not in face.call("search_threads", {"q": f"{q} answer"}).ok()
    for form in ("text/html", "text/markdown"):
        page = stoa.get(f"/forum/search?{urlencode({'q': q})}", headers={"Accept": form}).ok()
        assert said in page.text
