import test from 'ava';
import { resultOfSteps } from '../../../formats/steps.ts';
import { captionQualityReportsOf } from '../../../receipts/captions/quality-control.ts';
import type { TimedText } from '../../../rules/dialogue.ts';
import { groupedCues, pairedCues, type TextPair } from '../../../rules/pairing.ts';
import {
  breakCosts,
  cueShapeOf,
  piecesOf,
  rowsOf,
  type SegmentedCue,
  segmentedCues,
  timedUnits,
  untimedUnits,
} from '../../../rules/segmentation.ts';
import {
  addsNoName,
  keepsSounds,
  latinWords,
  namesBySound,
  soundedNames,
  soundsLike,
} from '../../../rules/translation/carried-words.ts';
import { fieldOf, fieldsOf } from '../../fields.ts';
import { chanceFrom } from './chance.ts';
import { checkableCaptions, lineOf } from './checkable-captions.ts';
import { type Spoken, spokenLines } from './spoken-lines.ts';

const tenMinutes = { startMs: 0, endMs: 600_000 };

const cuesOf = (language: string, spoken: readonly Spoken[], within = tenMinutes): SegmentedCue[] =>
  resultOfSteps(
    segmentedCues(
      spokenLines(spoken).flatMap((line) => timedUnits(line)),
      { range: within, language, isWall: () => false },
    ),
  );

/** Findings of the guidelines in cues of a language. */
function findingsIn(language: string, cues: readonly SegmentedCue[]): string[] {
  const lines = cues.map(({ startMs, endMs, text }, at) => lineOf({ startMs, endMs, source: text, target: text }, at));
  const { artifact, reference } = checkableCaptions(lines.slice(0, 1));
  const input = { ...artifact.input, sourceLanguage: language, targetLanguage: language };
  const asked = { ...artifact, input, lines };
  const captions = { artifact: asked, contentId: reference.contentId, shotTimesMs: null, frameRate: null };
  return resultOfSteps(captionQualityReportsOf(captions)).flatMap(({ side, findings }) =>
    side === 'source' ? findings.map(({ lineId, code, measured }) => `${lineId} ${code} ${measured}`) : [],
  );
}

const texts = (cues: readonly SegmentedCue[]): string[] => cues.map(({ text }) => text);

const long =
  'we talked for a long time about the house by the river, and in the end my brother said that he would rather sell it. nobody was surprised';

test('a long line is cut at the end of its sentence and of its phrases, into rows that fit', (t) => {
  t.deepEqual(texts(cuesOf('en', [{ text: long, startMs: 1000, endMs: 10_000 }])), [
    'we talked for a long time\nabout the house by the river,',
    'and in the end my brother said\nthat he would rather sell it.',
    'nobody was surprised',
  ]);
});

test('a break costs less from a pause of 150 ms on, then of 300 and of 700', (t) => {
  const costOf = breakCosts('en');
  const unit = { isSpaced: true, isLone: false, lineIndex: 0 };
  const before = { ...unit, text: 'door', startMs: 0, endMs: 1000 };
  const after = (pauseMs: number) => ({ ...unit, text: 'opened', startMs: 1000 + pauseMs, endMs: 3000 });
  const costs = [0, 149, 150, 299, 300, 699, 700, 2000].map((pauseMs) => costOf(before, after(pauseMs)));
  t.deepEqual(costs, [6, 6, 4, 4, 1, 1, 0, 0]);
});

test('a cue ends when speech ends, and no cue reaches over a long pause', (t) => {
  const cues = cuesOf('en', [
    { text: 'there it is', startMs: 1000, endMs: 2000 },
    { text: 'behind the door', startMs: 3600, endMs: 4800 },
    { text: 'of the kitchen', startMs: 4850, endMs: 6000 },
  ]);
  t.deepEqual(texts(cues), ['there it is', 'behind the door of the kitchen']);
  t.deepEqual(fieldOf(cues, 'lineIndexes'), [[0], [1, 2]]);
});

test('a short word stays long enough to be read, behind its words or before them', (t) => {
  const [yes, no] = cuesOf(
    'en',
    [
      { text: 'yes', startMs: 1000, endMs: 1200 },
      { text: 'no', startMs: 9700, endMs: 9900 },
    ],
    { startMs: 0, endMs: 10_000 },
  );
  t.deepEqual([yes?.startMs, yes?.endMs, no?.startMs, no?.endMs], [1000, 2000, 9000, 10_000]);
});

test('bug: two speakers shared a row, with a dash inside of it', (t) => {
  const shape = cueShapeOf('en');
  const rows = (text: string) => rowsOf(untimedUnits(text), shape, breakCosts('en'));
  t.is(rows('- Yes. - Really?'), '- Yes.\n- Really?');
  t.is(rows('Yes. - Really?'), '- Yes.\n- Really?', 'the first speaker gets a dash');
  t.is(rows('Yes. -Really?'), '- Yes.\n-Really?');
  t.is(rows('– Oui. – Vraiment ?'), '– Oui.\n– Vraiment ?');
  t.is(rows('He came - at last - and sat.'), 'He came - at last - and sat.', 'no sentence ends before these');
  t.is(rows('- Yes.'), '- Yes.');
  const three = cuesOf('en', [{ text: '- Yes. - Really? - I told you so.', startMs: 1_000, endMs: 5_000 }]);
  for (const { text } of three)
    t.true(
      text.split('\n').every((row) => row.startsWith('- ')),
      text,
    );
  t.is(three.map(({ text }) => text.replaceAll('\n', ' ')).join(' '), '- Yes. - Really? - I told you so.');
});

test('bug: a cue ended with the first words of a sentence that fits the next cue', (t) => {
  const spoken = [
    'I have never been to the house by the river. You know that he would rather sell the whole of it now.',
    'We left. But it is late and nobody is here to open the door for us tonight. So go home.',
    'The doctor said that he should stay in bed. And then he went out, and he did not come back for a week.',
  ];
  for (const text of spoken) {
    const cues = cuesOf('en', [{ text, startMs: 1_000, endMs: 9_000 }]);
    for (const [at, cue] of cues.slice(0, -1).entries()) {
      const last = cue.text.split(/(?<=[.!?])\s/u).at(-1) ?? '';
      const isWhole = /[.!?]$/u.test(last);
      t.true(isWhole || last.split(/\s/u).length >= 4 || last === cue.text, `${cue.text} | ${cues[at + 1]?.text}`);
    }
  }
});

test('no cue joins what lies on both sides of a wall', (t) => {
  const units = spokenLines([
    { text: 'he said', startMs: 1000, endMs: 1800 },
    { text: 'that', startMs: 1900, endMs: 2400 },
  ]).flatMap((line) => timedUnits(line));
  const cues = resultOfSteps(
    segmentedCues(units, {
      range: tenMinutes,
      language: 'en',
      isWall: (before, after) => before.lineIndex < after.lineIndex,
    }),
  );
  t.deepEqual(texts(cues), ['he said', 'that']);
});

test('words without times share the time of their line', (t) => {
  const [line] = spokenLines([{ text: 'one two', startMs: 1000, endMs: 8000, isWhole: true }]);
  if (line === undefined) throw new Error('a line');
  t.deepEqual(fieldsOf(timedUnits(line), 'text', 'startMs', 'endMs'), [
    ['one', 1000, 4000],
    ['two', 5000, 8000],
  ]);
});

test('a script without spaces is cut between signs; brackets and stops stay with their words', (t) => {
  const text = '「昨日は友達と一緒に大きな公園へ行きました。」とても楽しかったです。コンピューターを買います';
  const [line] = spokenLines([{ text, startMs: 0, endMs: 15_000, isWhole: true }]);
  if (line === undefined) throw new Error('a line');
  const units = timedUnits(line).map((unit) => unit.text);
  t.is(units.join(''), text);
  t.true(units.includes('「昨'));
  t.true(units.includes('た。」'));
  t.true(units.includes('コンピューター'));
  const cues = cuesOf('ja', [{ text, startMs: 0, endMs: 15_000, isWhole: true }]);
  t.is(texts(cues).join('').replaceAll('\n', ''), text);
  t.deepEqual(findingsIn('ja', cues), []);
});

const vocabulary: Readonly<Record<string, readonly string[]>> = {
  en: 'the a of and because river house brother yesterday understanding I was very, slow. carefully in to responsibility!'.split(
    ' ',
  ),
  de: 'der die und weil Haus Bruder gestern Verantwortung, sehr langsam. im Landwirtschaft ich war'.split(' '),
  ko: '그 형은 어제 강가에서 아주 천천히, 말했다. 우리는 그러나 집으로 책임감'.split(' '),
};

/** Most characters that are spoken in a second; guidelines allow to read 20, 17 and 12. */
const speeds: Readonly<Record<string, number>> = { en: 14, de: 12, ko: 7 };

for (const [language, words] of Object.entries(vocabulary)) {
  test(`cues of any speech in '${language}' keep every guideline and every word`, (t) => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const next = chanceFrom(seed);
      let at = Math.floor(next() * 3000);
      const spoken = Array.from({ length: 12 }, (): Spoken => {
        const text = Array.from(
          { length: 1 + Math.floor(next() * 24) },
          () => words[Math.floor(next() * words.length)],
        ).join(' ');
        const startMs = at;
        const endMs = startMs + Math.ceil((text.length * 1000) / (4 + next() * ((speeds[language] ?? 10) - 4)));
        // A line that ends in a word of its own leaves time for it before the next begins.
        at = endMs + 1100 + Math.floor(next() * next() * 4000);
        return { text, startMs, endMs };
      });
      const cues = cuesOf(language, spoken);
      t.deepEqual(findingsIn(language, cues), [], `seed ${seed}`);
      t.is(texts(cues).join(' ').replaceAll('\n', ' '), spoken.map(({ text }) => text).join(' '));
      for (const [index, cue] of cues.entries())
        t.true(cue.startMs < cue.endMs && cue.startMs >= (cues[index - 1]?.endMs ?? 0));
    }
  });
}

const rowsIn = (language: string, text: string): string[] =>
  rowsOf(untimedUnits(text), cueShapeOf(language), breakCosts(language)).split('\n');

/** One sentence each, in its rows. */
const cut: Readonly<Record<string, readonly [language: string, rows: readonly string[]]>> = {
  Thai: ['th', ['เมื่อวานนี้เราต้องยกกล่องทั้ง', 'หมดเข้าไปในบ้านก่อนที่ฝนจะตกหนัก']],
  'Thai with a last consonant without a sign': ['th', ['เขาลืมปิดประตูก่อนออกจากบ้าน', 'ไปทำงานเมื่อเช้านี้']],
  Khmer: ['km', ['យើងត្រូវយកប្រអប់ទាំងអស់', 'ចូលក្នុងផ្ទះមុនពេលភ្លៀងធ្លាក់ខ្លាំង']],
  Burmese: ['my', ['မိုးမရွာခင် သေတ္တာအားလုံးကို', 'အိမ်ထဲသို့ယူဆောင်သွားရမည်ဖြစ်သည်']],
};

for (const [what, [language, rows]] of Object.entries(cut)) {
  test(`bug: a row of ${what} began within a syllable`, (t) => {
    t.deepEqual(rowsIn(language, rows.join('')), rows);
  });
}

const divided: Readonly<Record<string, readonly string[]>> = {
  'a vowel before its consonants': ['เปลี่ยน|เครื่อง|เสร็จ|เปล่า|และ|ใหญ่|ไหม|ใกล้', 'ໃຫຍ່|ເຮືອນ|ແຫວນ|ເມຍ'],
  'a vowel behind its consonant': ['น้ำ|ใจ|ดี|มา|จะ|เคราะห์|เพราะ', 'ນ້ຳ|ມາ|ຈະ|ຂ້ອຍ'],
  'a consonant that has to come': ['วัน|คืน|เดิน|เป็น|ลัย|ก็|ไป', 'ວັນ|ຄົນ|ຕົວ'],
  'consonants that are not spoken': ['จันทร์|พันธุ์|สิทธิ์|เบอร์', 'សប្ដាហ៍|ចប់'.replace('ស', 'ស|')],
  'consonants below others': ['ខ្ញុំ|ស្រ|ឡាញ់|ផ្ទះ', 'သေတ္တာ|ဗုဒ္ဓ|အင်္ဂ|လိပ်|ပစ္စည်း'],
  'consonants with asat': ['မြန်|မာ|နိုင်|ငံ|ကျွန်|တော်|တို့|သည်|ယောက်ျား|နှင့်'],
  'a number': ['๑๒|ปี', '១២៣.៥០|ឆ្នាំ', '၁၂|နှစ်'],
  'signs of repetition, and spaces without width': ['ต่างๆ', 'ផ្សេងៗ'.replace('ង', '|ង'), 'ខ្ញុំ\u200B|ទៅ'],
  'a word that begins with U+104E': ['သည်|၎င်း|၌|။'.replace('|၌|။', '၌။')],
};

for (const [what, texts] of Object.entries(divided)) {
  test(`no row divides ${what}`, (t) => {
    for (const text of texts) {
      const pieces = piecesOf(text.replaceAll('|', '')).map((piece) => piece.text);
      t.is(pieces.join('|'), text);
    }
  });
}

test('a recognized line of Thai is cut into cues between syllables, and loses nothing', (t) => {
  const [language, is] = cut.Thai ?? ['', []];
  const text = Array.from({ length: 6 }, () => is.join('')).join('');
  const [line] = spokenLines([{ text, startMs: 0, endMs: 40_000, isWhole: true }]);
  if (line === undefined) throw new Error('a line');
  const range = { startMs: 0, endMs: 60_000 };
  const cues = resultOfSteps(segmentedCues(timedUnits(line), { range, language, isWall: () => false }));
  t.true(cues.length > 3);
  t.is(cues.map((cue) => cue.text.replace('\n', '')).join(''), text);
  const starts = cues.flatMap((cue) => cue.text.split('\n'));
  for (const row of starts) t.notRegex(row, /^[\p{M}ะาำๅ]|[เ-ไ]$/u);
});

const rangeOf = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)).filter((sign) =>
    /[\p{L}\p{M}]/u.test(sign),
  );

/** Parts of generated texts: consonants first, then their companions. */
const alphabets: readonly (readonly [consonants: string[], parts: string[]])[] = [
  [rangeOf(0x0e01, 0x0e2e), [...rangeOf(0x0e30, 0x0e3a), ...rangeOf(0x0e47, 0x0e4e), 'เก', 'แล', 'โน', 'ใน', 'ไห']],
  [rangeOf(0x0e81, 0x0eae), [...rangeOf(0x0eb0, 0x0ebd), ...rangeOf(0x0ec8, 0x0ecd), 'ເກ', 'ແລ', 'ໂນ', 'ໃນ', 'ໄຫ']],
  [rangeOf(0x1780, 0x17a2), [...rangeOf(0x17b6, 0x17d1), '្រ', '្ត', '្ល']],
  [rangeOf(0x1000, 0x1021), [...rangeOf(0x102b, 0x1038), ...rangeOf(0x103a, 0x103e), '္တ', '္ဓ', 'င်္ဂ', 'န့်']],
];

test('however signs follow each other, no row begins or ends between two that belong together', (t) => {
  const next = chanceFrom(1);
  const oneOf = (signs: readonly string[]): string => signs[Math.floor(next() * signs.length)] ?? '';
  for (const [consonants, parts] of alphabets) {
    for (let round = 0; round < 1000; round += 1) {
      const rest = Array.from({ length: 12 }, () =>
        oneOf(oneOf(['consonant', 'part']) === 'part' ? parts : consonants),
      );
      const text = [oneOf(consonants), ...rest].join('');
      const pieces = piecesOf(text).map((piece) => piece.text);
      t.is(pieces.join(''), text);
      for (const piece of pieces.slice(1)) {
        t.notRegex(piece, /^(?:\p{M}|[ะาำະາຳຽ]|[\u1000-\u1021]\u1037?[\u103A\u1039])/u, text);
      }
      for (const piece of pieces) t.notRegex(piece, /[เ-ไເ-ໄ\u17D2\u1039]$/u, text);
    }
  }
});

test('other scripts are cut between words, or between their signs', (t) => {
  for (const text of [
    '「昨|日|は|友|達|と|一|緒|に|大|き|な|公|園|へ|行|き|ま|し|た。」|コンピューター|を|買|い|ま|す',
    '我|们|必|须|把|“箱|子”|搬|进|屋|里，|OK？',
    'we| talked| (for| a| long| time)| about| the| house',
    '우리는| 상자를| 집| 안으로| 옮겨야| 합니다',
  ]) {
    const pieces = piecesOf(text.replaceAll('|', ''));
    t.is(pieces.map((piece) => (piece.isSpaced && piece.from > 0 ? ` ${piece.text}` : piece.text)).join('|'), text);
  }
});

const found = (name: string, text: string): boolean => {
  const [latin = ''] = latinWords(name);
  return latinWords(text).some((word) => soundsLike(latin, word));
};

// Stored captions are judged again with these letters: another release that writes one of them otherwise needs gates of its own.
test('words are written in Latin letters as the verdicts of stored captions rest on it', (t) => {
  const words = 'Žižek Straße Мюллер Пётр Γιάννης 김민수 마리아에게 ピーター محمد';
  t.deepEqual(latinWords(words), [
    ...['zizek', 'strasse', 'myuller', 'petr', 'giannis', 'gimminsu', 'maliaege', 'pita', 'mhmd'],
  ]);
});

const kept: readonly (readonly [name: string, text: string])[] = [
  ['Kim', '김 선생님이'],
  ['Kim', 'Ким'],
  ['Müller', 'Мюллера'],
  ['Peter', 'Питер'],
  ['Peter', 'Пётр'],
  ['Peter', '피터는'],
  ['Anna', 'Анну'],
  ['Anna', '안나를'],
  ['Maria', 'Марии'],
  ['Maria', '마리아에게'],
  ['John', 'Джон'],
  ['John', '존이'],
  ['Schmidt', 'Шмидт'],
  ['Schmidt', '슈미트'],
  ['George', 'Джордж'],
  ['Clara', '클라라'],
  ['Park', '박'],
  ['Choi', '최'],
  ['Jan', 'Ян'],
  ['William', '윌리엄'],
  ['Washington', 'Вашингтон'],
  ['Washington', '워싱턴'],
  ['Chicago', '시카고'],
  ['Beethoven', 'Бетховен'],
  ['Kostas', 'Κώστα'],
  ['Соколова', 'Sokolova'],
  ['Γιάννης', 'Giannis'],
];

test('a name is found in another script by its sound', (t) => {
  for (const [name, text] of kept) t.true(found(name, text), `${name}: ${text}`);
});

test('another name is not taken for it', (t) => {
  const texts = ['Я ищу Урсулу, она хотела одолжить мне свой старый велосипед.', '나는 우르술라를 찾고 있어요.'];
  const names = ['Kim', 'Peter', 'Müller', 'Anna', 'Maria', 'Schmidt', 'George', 'Eva', 'Chicago', 'Helen', 'Sokolova'];
  for (const text of texts) for (const name of names) t.false(found(name, text), `${name}: ${text}`);
});

test('names that languages say in other ways are not followed', (t) => {
  const missed: readonly (readonly [string, string])[] = [
    ['Lee', '이'],
    ['Helen', 'Елена'],
    ['Michael', '마이클'],
  ];
  for (const [name, text] of missed) t.false(found(name, text), `${name}: ${text}`);
});

test('names are followed from the side that shows them, between scripts that write vowels', (t) => {
  const sides = [
    ['en', 'ru', 'source'],
    ['ru', 'en', 'source'],
    ['fr', 'ko', 'source'],
    ['de', 'en', 'translation'],
    ['ko', 'en', 'translation'],
    ['en', 'fr', null],
    ['en', 'ja', null],
    ['ar', 'en', null],
    ['ko', 'de', null],
  ] as const;
  for (const [source, target, side] of sides) t.is(soundedNames(source, target), side, `${source} ${target}`);
});

test('a name is missed, or added, by its sound', (t) => {
  const names = namesBySound(['Yesterday Peter and Maria went to Germany on Monday.']);
  t.deepEqual([...names], ['peter', 'maria']);
  t.true(keepsSounds('I saw Maria.', 'Я видел Марию.', names));
  t.false(keepsSounds('I saw Maria.', 'Я видел Урсулу.', names));
  t.true(addsNoName('어제 피터를 봤어요', 'Yesterday I saw Peter.'));
  t.false(addsNoName('어제 피터를 봤어요', 'Yesterday I saw Ursula.'));
  t.true(addsNoName('Gestern habe ich meine Mutter gesehen', 'Yesterday I saw Mum.'));
});

const twoMinutes = { startMs: 0, endMs: 120_000 };

const cue = (startMs: number, endMs: number, text: string | null): TimedText => ({ startMs, endMs, text });

test('one cue and the two that split its sentence are one line, in the time of the source', (t) => {
  const { pairs } = resultOfSteps(
    groupedCues(
      [cue(1000, 5000, 'one sentence'), cue(6000, 8000, 'another')],
      [cue(1100, 2900, 'ein'), cue(3000, 5200, 'Satz'), cue(6100, 7900, 'noch einer')],
      twoMinutes,
    ),
  );
  t.deepEqual(pairs, [
    { startMs: 1000, endMs: 5000, source: 'one sentence', target: 'ein\nSatz' },
    { startMs: 6000, endMs: 8000, source: 'another', target: 'noch einer' },
  ]);
});

test('a track that is late throughout is paired as if it were not', (t) => {
  const source = Array.from({ length: 12 }, (_, at) => cue(at * 4000 + (at % 3) * 700, at * 4000 + 2500, `s${at}`));
  const late = source.map(({ startMs, endMs }, at) => cue(startMs + 1200, endMs + 1200, `t${at}`));
  const answer = resultOfSteps(groupedCues(source, late, twoMinutes));
  t.like(answer, { alignment: { verdict: 'shifted', offsetMs: -1200 }, agreement: { agreeMilli: 1000 } });
  t.deepEqual(
    answer.pairs.map((pair) => [pair.source, pair.target]),
    source.map((_, at) => [`s${at}`, `t${at}`]),
  );
});

test('a line without a counterpart stays alone; an unreadable cue leaves its side unknown', (t) => {
  const { pairs } = resultOfSteps(
    groupedCues(
      [cue(1000, 3000, 'a'), cue(10_000, 12_000, 'b'), cue(20_000, 22_000, 'c')],
      [cue(1000, 3000, 'A'), cue(5000, 6000, 'alone'), cue(20_000, 20_900, null), cue(21_000, 22_000, 'C')],
      twoMinutes,
    ),
  );
  t.deepEqual(fieldsOf(pairs, 'source', 'target'), [
    ['a', 'A'],
    [null, 'alone'],
    ['b', null],
    ['c', null],
  ]);
});

interface Dialogue {
  readonly source: readonly TimedText[];
  readonly target: readonly TimedText[];
}

/**
 * Two tracks of one dialogue as in releases: each splits long sentences and joins short ones in its own way. The edges
 * differ, one track is late by up to two seconds, and sometimes one has a sign that the other does not translate.
 */
function builtDialogue(seed: number): Dialogue {
  const next = chanceFrom(seed * 2_654_435_761);
  const sentences: { readonly startMs: number; readonly endMs: number }[] = [];
  for (let at = 1000 + next() * 3000; at < 110_000; ) {
    const endMs = at + 700 + next() * next() * 6000;
    sentences.push({ startMs: at, endMs });
    at = endMs + 80 + next() * next() * 5000;
  }
  const trackOf = (offsetMs: number, name: string): TimedText[] => {
    const cues: TimedText[] = [];
    const edge = (ms: number): number => Math.round(ms + offsetMs + (next() - 0.5) * 240);
    for (const [at, { startMs, endMs }] of sentences.entries()) {
      const last = cues.at(-1);
      const isShort = endMs - startMs < 1300;
      if (isShort && last !== undefined && startMs + offsetMs - last.endMs < 400 && next() < 0.5) {
        cues.splice(-1, 1, { ...last, endMs: edge(endMs), text: `${last.text} ${name}${at}` });
        continue;
      }
      const pieces = endMs - startMs > 2600 && next() < 0.5 ? 2 : 1;
      for (let piece = 0; piece < pieces; piece += 1) {
        const length = (endMs - startMs) / pieces;
        const from = startMs + piece * length;
        const begin = Math.max(edge(from), cues.at(-1)?.endMs ?? 0);
        const text = pieces === 1 ? `${name}${at}` : `${name}${at}.${piece}`;
        cues.push({ startMs: begin, endMs: Math.max(begin + 300, edge(from + length)), text });
      }
    }
    return cues.filter(() => next() > 0.004);
  };
  const offsetMs = [0, 0, 1200, -700, 400, -1900, 150][seed % 7] ?? 0;
  return { source: trackOf(0, 's'), target: trackOf(offsetMs, 't') };
}

const wordsOf = (text: string | null): number => (text === null ? 0 : text.split(/\s+/).length);
const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** The share of all words in lines with both sides. */
function sharedWords({ source, target }: Dialogue, pairs: readonly TextPair[]): number {
  const all = total([...source, ...target].map(({ text }) => wordsOf(text)));
  const whole = pairs.filter((pair) => pair.source !== null && pair.target !== null);
  return total(whole.map((pair) => wordsOf(pair.source) + wordsOf(pair.target))) / all;
}

// The rule and its numbers were chosen before these were built, and were not changed for them.
const dialogues = Array.from({ length: 28 }, (_, at) => builtDialogue(at + 1));

test('of 28 dialogues whose tracks split differently, nearly all words get both sides', (t) => {
  const shares = dialogues.map((dialogue) =>
    sharedWords(dialogue, resultOfSteps(groupedCues(dialogue.source, dialogue.target, twoMinutes)).pairs),
  );
  t.true(shares.filter((share) => share >= 0.9).length >= 26, shares.map((share) => share.toFixed(3)).join(' '));
  t.true(total(shares) / shares.length >= 0.97, `${total(shares) / shares.length}`);
  const before = dialogues.map((dialogue) =>
    sharedWords(dialogue, resultOfSteps(pairedCues(dialogue.source, dialogue.target, twoMinutes)).pairs),
  );
  t.true(total(before) / before.length < 0.85, `pairs of single cues lose more: ${total(before) / before.length}`);
});

test('no word of a dialogue is lost or doubled, lines are apart, nine of ten are below 6 s', (t) => {
  const lengths: number[] = [];
  for (const { source, target } of dialogues) {
    const { pairs } = resultOfSteps(groupedCues(source, target, twoMinutes));
    const said = (texts: readonly (string | null)[]) => texts.flatMap((text) => text?.split(/\s+/) ?? []).sort();
    t.deepEqual(said(pairs.map((pair) => pair.source)), said(source.map(({ text }) => text)));
    for (const [at, pair] of pairs.entries()) {
      t.true(pair.startMs < pair.endMs && pair.startMs >= (pairs[at - 1]?.endMs ?? 0));
      lengths.push(pair.endMs - pair.startMs);
    }
  }
  t.true(lengths.filter((length) => length < 6000).length >= 0.9 * lengths.length);
});
