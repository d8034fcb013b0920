import test from 'ava';
import { breakCosts } from '../../../receipts/captions/break-costs.ts';
import { rowsOf } from '../../../receipts/captions/cue-rows.ts';
import { cueShapeOf } from '../../../receipts/captions/cue-shape.ts';
import { segmentedCues } from '../../../receipts/captions/segmented-cues.ts';
import { piecesOf } from '../../../receipts/captions/text-pieces.ts';
import { timedUnits, untimedUnits } from '../../../receipts/captions/timed-units.ts';
import { spokenLines } from './spoken-lines.ts';

const today = { keepsSyllables: true };
const before = { keepsSyllables: false };

const rowsIn = (language: string, text: string, rules: { readonly keepsSyllables: boolean }): string[] =>
  rowsOf(untimedUnits(text, rules), cueShapeOf(language), breakCosts(language)).split('\n');

/** One sentence each, and its rows as they were cut between any two signs. */
const cut: Readonly<Record<string, readonly [language: string, was: readonly string[], is: readonly string[]]>> = {
  Thai: [
    'th',
    ['เมื่อวานนี้เราต้องยกกล่องทั้งห', 'มดเข้าไปในบ้านก่อนที่ฝนจะตกหนัก'],
    ['เมื่อวานนี้เราต้องยกกล่องทั้ง', 'หมดเข้าไปในบ้านก่อนที่ฝนจะตกหนัก'],
  ],
  'Thai with a last consonant without a sign': [
    'th',
    ['เขาลืมปิดประตูก่อนออกจา', 'กบ้านไปทำงานเมื่อเช้านี้'],
    ['เขาลืมปิดประตูก่อนออกจากบ้าน', 'ไปทำงานเมื่อเช้านี้'],
  ],
  Khmer: ['km', ['យើងត្រូវយកប្រអប់ទាំងអស់ចូលក្', 'នុងផ្ទះមុនពេលភ្លៀងធ្លាក់ខ្លាំង'], ['យើងត្រូវយកប្រអប់ទាំងអស់', 'ចូលក្នុងផ្ទះមុនពេលភ្លៀងធ្លាក់ខ្លាំង']],
  Burmese: ['my', ['မိုးမရွာခင် သေတ္တာအားလုံးကိုအိ', 'မ်ထဲသို့ယူဆောင်သွားရမည်ဖြစ်သည်'], ['မိုးမရွာခင် သေတ္တာအားလုံးကို', 'အိမ်ထဲသို့ယူဆောင်သွားရမည်ဖြစ်သည်']],
};

for (const [what, [language, was, is]] of Object.entries(cut)) {
  test(`bug: a row of ${what} began within a syllable`, (t) => {
    const text = is.join('');
    t.deepEqual(rowsIn(language, text, today), is);
    t.deepEqual(rowsIn(language, text, before), was);
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
      const pieces = piecesOf(text.replaceAll('|', ''), today).map((piece) => piece.text);
      t.is(pieces.join('|'), text);
    }
  });
}

test('a recognised line of Thai is cut into cues between syllables, and loses nothing', (t) => {
  const [language, , is] = cut.Thai ?? ['', [], []];
  const text = Array.from({ length: 6 }, () => is.join('')).join('');
  const [line] = spokenLines([{ text, startMs: 0, endMs: 40_000, isWhole: true }]);
  if (line === undefined) throw new Error('a line');
  const range = { startMs: 0, endMs: 60_000 };
  const cues = segmentedCues(timedUnits(line, today), { range, language, isWall: () => false });
  t.true(cues.length > 3);
  t.is(cues.map((cue) => cue.text.replace('\n', '')).join(''), text);
  const starts = cues.flatMap((cue) => cue.text.split('\n'));
  for (const row of starts) t.notRegex(row, /^[\p{M}ะาำๅ]|[เ-ไ]$/u);
});

const rangeOf = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)).filter((sign) =>
    /[\p{L}\p{M}]/u.test(sign),
  );

/** What texts are put together from: consonants first, then what stands beside them. */
const alphabets: readonly (readonly [consonants: string[], parts: string[]])[] = [
  [rangeOf(0x0e01, 0x0e2e), [...rangeOf(0x0e30, 0x0e3a), ...rangeOf(0x0e47, 0x0e4e), 'เก', 'แล', 'โน', 'ใน', 'ไห']],
  [rangeOf(0x0e81, 0x0eae), [...rangeOf(0x0eb0, 0x0ebd), ...rangeOf(0x0ec8, 0x0ecd), 'ເກ', 'ແລ', 'ໂນ', 'ໃນ', 'ໄຫ']],
  [rangeOf(0x1780, 0x17a2), [...rangeOf(0x17b6, 0x17d1), '្រ', '្ត', '្ល']],
  [rangeOf(0x1000, 0x1021), [...rangeOf(0x102b, 0x1038), ...rangeOf(0x103a, 0x103e), '္တ', '္ဓ', 'င်္ဂ', 'န့်']],
];

test('however signs follow each other, none that needs the one before it begins a row, and none that needs the next ends one', (t) => {
  let state = 1;
  const oneOf = (signs: readonly string[]): string => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return signs[Math.floor((state / 2 ** 32) * signs.length)] ?? '';
  };
  for (const [consonants, parts] of alphabets) {
    for (let round = 0; round < 1000; round += 1) {
      const rest = Array.from({ length: 12 }, () =>
        oneOf(oneOf(['consonant', 'part']) === 'part' ? parts : consonants),
      );
      const text = [oneOf(consonants), ...rest].join('');
      const pieces = piecesOf(text, today).map((piece) => piece.text);
      t.is(pieces.join(''), text);
      for (const piece of pieces.slice(1)) {
        t.notRegex(piece, /^(?:\p{M}|[ะาำະາຳຽ]|[\u1000-\u1021]\u1037?[\u103A\u1039])/u, text);
      }
      for (const piece of pieces) t.notRegex(piece, /[เ-ไເ-ໄ\u17D2\u1039]$/u, text);
    }
  }
});

test('other scripts are cut as before', (t) => {
  for (const text of [
    '「昨日は友達と一緒に大きな公園へ行きました。」コンピューターを買います',
    '我们必须把“箱子”搬进屋里，OK？',
    'we talked (for a long time) about the house',
    '우리는 상자를 집 안으로 옮겨야 합니다',
  ]) {
    t.deepEqual(piecesOf(text, today), piecesOf(text, before));
  }
});
