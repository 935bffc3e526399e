"""Invented conversations in German, Japanese and Arabic, in the format of the dataset (SPEC 1).

German has letters outside ASCII, Japanese no spaces; Arabic is read from the right and may have vowel signs.
"""

from dataclasses import dataclass
from typing import Any

DATES = ("1:56 pm on 8 May, 2023", "10:05 am on 31 December, 2023", "12:00 am on 29 February, 2024")
"""When the sessions began. They are in English in any language: that is the format."""


@dataclass(frozen=True)
class Language:
    """Talk and questions with gaps such as {city}, and what fills them in each conversation."""

    sessions: tuple[str, ...]
    """Lines `speaker: text`; what follows a `|` is the caption of a photograph."""
    questions: tuple[tuple[int, str, str, str], ...]
    """Category, question, answer, evidence."""
    facts: tuple[dict[str, str], ...]


LANGUAGES = {
    "German": Language(
        sessions=(
            """\
{a}: Grüß dich, {b}! Ich bin gestern nach {city} gezogen. Die Straßen sind schön, aber es regnet ständig.
{b}: Wie heißt deine neue Straße, {a}?
{a}: Sie heißt {street}. Mein Büro liegt gleich über der Bäckerei.
{b}: Ich habe einen Hund adoptiert. Er heißt {pet} und frisst gern {food}. | ein Hund auf einer grünen Wiese
{a}: „Süß!“, sagt meine Schwester. Wir müssen {pet} unbedingt kennenlernen.""",
            """\
{b}: {a}, ich übe jetzt jeden Abend {instrument}. Meine Nachbarn ärgern sich fürchterlich!
{a}: Ich lerne seit Oktober {tongue}, und die Wörter sind schwierig...
{b}: Warum gerade {tongue}?
{a}: Meine Großmutter kam aus {land}; sie hat mir früher Märchen vorgelesen.""",
            """\
{a}: Übrigens, {b}: Am 27. Februar war meine Prüfung. Ich habe sie bestanden!
{b}: Glückwunsch! Im März fahre ich mit {pet} an die Küste, wir lieben das Meer.
{a}: Weißt du, wie man dorthin kommt?
{b}: Mit dem Zug über {city}. Ich hole dich um 8:30 Uhr ab.""",
        ),
        questions=(
            (4, "In welche Stadt ist {a} gezogen?", "{city}", "D1:1"),
            (4, "Wie heißt der Hund von {b}?", "{pet}", "D1:4"),
            (1, "Was lernen {a} und {b} gerade?", "{tongue}, {instrument}", "D2:2 D2:1"),
            (2, "Wann hat {a} die Prüfung bestanden?", "27. Februar 2024", "D3:1"),
            (3, "Würde {b} gern am Meer wohnen?", "Wahrscheinlich ja; er liebt das Meer", "D3:2"),
            (5, "Welchen Hund hat {a} adoptiert?", "{pet}", "D1:4"),
        ),
        facts=(
            {
                "a": "Käthe",
                "b": "Jürgen",
                "city": "Köln",
                "street": "Große Bleiche",
                "pet": "Knöpfchen",
                "food": "Weißwürste",
                "instrument": "Flöte",
                "tongue": "Türkisch",
                "land": "Österreich",
            },
            {
                "a": "Bärbel",
                "b": "Götz",
                "city": "Würzburg",
                "street": "Schöne Aussicht",
                "pet": "Strolchi",
                "food": "Käsespätzle",
                "instrument": "Hackbrett",
                "tongue": "Dänisch",
                "land": "Dänemark",
            },
            {
                "a": "Jördis",
                "b": "Anselm Weiß",
                "city": "Gießen",
                "street": "Hühnergässchen",
                "pet": "Mäuschen",
                "food": "Äpfel",
                "instrument": "Querflöte",
                "tongue": "Ungarisch",
                "land": "Siebenbürgen",
            },
        ),
    ),
    "Japanese": Language(
        sessions=(
            """\
{a}: {b}さん、こんにちは！昨日{city}に引っ越しました。とても静かな町です。
{b}: {a}さん、新しい部屋はどうですか？
{a}: 窓から{street}が見えます。
{b}: 犬を飼い始めました。名前は{pet}で、{food}が大好きです。 | 緑の芝生にいる小さな犬
{a}: かわいいですね。{pet}に会いたいです。""",
            """\
{b}: 毎晩{instrument}を練習しています。隣の人に怒られました……
{a}: 私は十月から{tongue}を勉強しています。
{b}: なぜ{tongue}なのですか？
{a}: 祖母が{land}の出身で、昔話をよく読んでくれたからです。""",
            """\
{a}: 二月二十七日に試験がありました。合格しました！
{b}: おめでとうございます。三月に{pet}と海へ行きます。
{a}: 電車で行くのですか？
{b}: はい、{city}を通ります。""",
        ),
        questions=(
            (4, "{a}はどこに引っ越しましたか？", "{city}", "D1:1"),
            (4, "{b}の犬の名前は何ですか？", "{pet}", "D1:4"),
            (1, "{a}と{b}は何を習っていますか？", "{tongue}, {instrument}", "D2:2 D2:1"),
            (2, "{a}の試験はいつでしたか？", "二〇二四年二月二十七日", "D3:1"),
            (3, "{b}は海が好きだと思いますか？", "はい; 犬と海へ行くから", "D3:2"),
            (5, "{a}はどんな犬を飼い始めましたか？", "{pet}", "D1:4"),
        ),
        facts=(
            {
                "a": "さくら",
                "b": "健太",
                "city": "京都",
                "street": "鴨川",
                "pet": "ポチ",
                "food": "焼き芋",
                "instrument": "三味線",
                "tongue": "韓国語",
                "land": "釜山",
            },
            {
                "a": "美咲",
                "b": "ダイスケ",
                "city": "函館",
                "street": "五稜郭",
                "pet": "むぎ",
                "food": "カボチャ",
                "instrument": "ピアノ",
                "tongue": "ロシア語",
                "land": "サハリン",
            },
            {
                "a": "𠮷田葵",
                "b": "渡邉蓮",
                "city": "長崎",
                "street": "眼鏡橋",
                "pet": "カステラ",
                "food": "鶏のささ身",
                "instrument": "尺八",
                "tongue": "オランダ語",
                "land": "ライデン",
            },
        ),
    ),
    "Arabic": Language(
        sessions=(
            """\
{a}: مَرْحَبًا يا {b}! انتقلتُ أمسِ إلى {city}، والمدينة هادئة جدًّا.
{b}: أهلًا يا {a}، ما اسم شارعكِ الجديد؟
{a}: اسمه {street}، ومكتبي فوق المخبز.
{b}: تبنّيتُ كلبًا صغيرًا. اسمه {pet} ويُحبّ {food} كثيرًا. | كلب صغير على عشب أخضر
{a}: ما أجمله! أريد أن أرى {pet} قريبًا.""",
            """\
{b}: أتدرّب كلَّ مساء على {instrument}، وجيراني غاضبون!
{a}: أتعلّم {tongue} منذ أكتوبر، والكلمات صعبة...
{b}: لماذا {tongue} يا {a}؟
{a}: جدّتي من {land}، وكانت تقرأ لي الحكايات.""",
            """\
{a}: كان امتحاني في ٢٧ فبراير، وقد نجحتُ!
{b}: مبروك! في مارس سأسافر مع {pet} إلى البحر، فنحن نحبّ البحر.
{a}: هل تسافران بالقطار؟
{b}: نعم، عبر {city} في الساعة 8:30.""",
        ),
        questions=(
            (4, "إلى أين انتقلت {a}؟", "{city}", "D1:1"),
            (4, "ما اسم كلب {b}؟", "{pet}", "D1:4"),
            (1, "ماذا يتعلّم {a} و {b}؟", "{tongue}, {instrument}", "D2:2 D2:1"),
            (2, "متى كان امتحان {a}؟", "٢٧ فبراير ٢٠٢٤", "D3:1"),
            (3, "هل يحبّ {b} السكن قرب البحر؟", "نعم; يحبّ البحر", "D3:2"),
            (5, "ما اسم الكلب الذي تبنّته {a}؟", "{pet}", "D1:4"),
        ),
        facts=(
            {
                "a": "ليلى",
                "b": "يوسف",
                "city": "الإسكندرية",
                "street": "شارع النيل",
                "pet": "بُندُق",
                "food": "الجزر",
                "instrument": "العود",
                "tongue": "التركية",
                "land": "إزمير",
            },
            {
                "a": "سَلمى",
                "b": "طارق",
                "city": "فاس",
                "street": "زُقاق الرُّمّان",
                "pet": "سُكَّر",
                "food": "التفاح",
                "instrument": "القانون",
                "tongue": "الإسبانية",
                "land": "غرناطة",
            },
            {
                "a": "نورة",
                "b": "عُمَر",
                "city": "بيروت",
                "street": "شارع الحمراء",
                "pet": "فُستُق",
                "food": "الخبز",
                "instrument": "الناي",
                "tongue": "الأرمنية",
                "land": "يريفان",
            },
        ),
    ),
}


def conversations(language: str) -> list[dict[str, Any]]:
    """Three conversations, as in a file."""
    written = LANGUAGES[language]
    return [
        _conversation(written, facts, f"{language.lower()}-{number}")
        for number, facts in enumerate(written.facts, 1)
    ]


def _conversation(written: Language, facts: dict[str, str], sample_id: str) -> dict[str, Any]:
    talk: dict[str, Any] = {"speaker_a": facts["a"], "speaker_b": facts["b"]}
    for number, (date, lines) in enumerate(zip(DATES, written.sessions, strict=True), 1):
        talk[f"session_{number}_date_time"] = date
        talk[f"session_{number}"] = [
            _turn(line.format_map(facts), f"D{number}:{place}")
            for place, line in enumerate(lines.splitlines(), 1)
        ]
    return {
        "sample_id": sample_id,
        "conversation": talk,
        "qa": [
            {
                "question": question.format_map(facts),
                ("adversarial_answer" if category == 5 else "answer"): answer.format_map(facts),
                "category": category,
                "evidence": evidence.split(),
            }
            for category, question, answer, evidence in written.questions
        ],
    }


def _turn(line: str, id: str) -> dict[str, str]:
    said, _, caption = line.partition(" | ")
    speaker, text = said.split(": ", 1)
    return {"speaker": speaker, "dia_id": id, "text": text} | ({"blip_caption": caption} if caption else {})
