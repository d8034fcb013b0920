import test from 'ava';
import { ServiceError } from '../../../contract/base/errors.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import { openSubtitleFile } from '../../../formats/subtitles.ts';
import { EncodingMismatch } from '../../../formats/text-encoding.ts';
import { fieldsOf } from '../../fields.ts';

const open = (text: string | Uint8Array, stated: { encoding?: string; language?: string } = {}) =>
  resultOfSteps(
    openSubtitleFile(typeof text === 'string' ? Buffer.from(text, 'utf8') : text, {
      format: null,
      encoding: null,
      ...stated,
    }),
  );

const times = (at: number): string => `00:00:0${at},000 --> 00:00:0${at},500`;
const cue = (at: number, text: string): string => `${at}\n${times(at)}\n${text}\n\n`;
const plain = cue(1, 'one') + cue(2, 'two');
const long = cue(1, 'one '.repeat(40).trim()) + cue(2, 'two');

/** The cues of a file, the notes on it, and its readable text. */
function readAs(text: string | Uint8Array) {
  const { cues, notes, text: read } = open(text);
  return { cues: fieldsOf(cues, 'startMs', 'endMs', 'text'), notes, read: Buffer.from(read).toString('utf8') };
}

test('bug: an invisible mark in front of a number or of times refused the file', (t) => {
  for (const mark of ['\u200E', '\u202A', '\u200B', '\u2060', '\uFEFF\u200F']) {
    const note = { note: 'invisible_mark', count: 1 } as const;
    t.deepEqual(readAs(mark + plain), { ...readAs(plain), notes: [{ ...note, line: 1 }] }, escape(mark));
    const second = plain.replace('\n2\n', `\n${mark}2\n`);
    t.deepEqual(readAs(second), { ...readAs(plain), notes: [{ ...note, line: 5 }] }, escape(mark));
    const timed = plain.replace('00:00:02,000', `${mark}00:00:02,000`);
    t.deepEqual(readAs(timed), { ...readAs(plain), notes: [{ ...note, line: 6 }] }, escape(mark));
  }
  // Two files with a byte order mark each, one behind the other.
  t.deepEqual(readAs(`\uFEFF${cue(1, 'one')}\uFEFF${cue(2, 'two')}`).notes, [
    { note: 'invisible_mark', line: 5, count: 1 },
  ]);
  t.deepEqual(readAs(`\uFEFF\uFEFF${plain}`).notes, []);
  const vtt = 'WEBVTT\n\n00:01.000 --> 00:02.000\nx';
  t.deepEqual(readAs(`\u200E${vtt}`), { ...readAs(vtt), notes: [{ note: 'invisible_mark', line: 1, count: 1 }] });
  const ass = '[Script Info]\n[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.00,x';
  t.deepEqual(readAs(`\u200E${ass}`).cues, readAs(ass).cues);
  // A mark in a text is a part of it.
  t.is(open(cue(1, '\u200F42')).cues[0]?.text, '\u200F42');
});

test('bug: the end-of-file sign of DOS and NUL characters refused the file', (t) => {
  for (const end of ['\u001A', '\0\0\0', '\r\n\u001A\0\0']) {
    const { cues, notes } = readAs(plain + end);
    t.deepEqual(cues, readAs(plain).cues);
    t.like(notes[0], { note: 'end_of_file' });
  }
  const joined = long.replace('\n2\n', '\n\u001A2\n');
  t.deepEqual(readAs(joined), { ...readAs(long), notes: [{ note: 'end_of_file', line: 5, count: 1 }] });
  t.throws(() => open('a\0b\0c --> d\0'), { instanceOf: EncodingMismatch });
});

test('bug: times with fewer digits, a comma, or another arrow refused the file', (t) => {
  const forms = [
    ['00:00:01,000 --> 00:00:01,500', '0:0:1 --> 00:00:01,5'],
    ['00:00:01,000 --> 00:00:01,500', '00:01.0 --> 00:01.50'],
    ['00:00:01,000 --> 00:00:01,500', '00:00:01,000 -> 00:00:01,500'],
    ['00:00:01,000 --> 00:00:01,500', '00:00:01,000 → 00:00:01,500'],
    ['00:00:01,000 --> 00:00:01,500', '00:00:01, 000 -->00:00:01, 500'],
  ] as const;
  for (const [usual, form] of forms) {
    const expected = { ...readAs(plain), notes: [{ note: 'time_form', line: 2, count: 1 }] };
    t.deepEqual(readAs(plain.replace(usual, form)), expected as never, form);
  }
  const comma = 'WEBVTT\n\nname\n00:01,000 --> 00:02,5 line:0\nx\n\n1:00:01.000 --> 1:00:02.000\ny';
  t.deepEqual(readAs(comma), {
    cues: [
      [1000, 2500, 'x'],
      [3_601_000, 3_602_000, 'y'],
    ],
    notes: [{ note: 'time_form', line: 4, count: 2 }],
    read: 'WEBVTT\n\nname\n00:00:01.000 --> 00:00:02.500 line:0\nx\n\n01:00:01.000 --> 01:00:02.000\ny',
  });
  t.is(open(cue(1, '9:30 – 10:15')).cues[0]?.text, '9:30 – 10:15');
  t.deepEqual(open('WEBVTT\n\nNOTE\n00:01,0 --> 00:02\n\n00:01.000 --> 00:02.000\nx').notes, []);
});

test('bug: the arrow of times in a text refused the file', (t) => {
  const srt = cue(1, 'a --> b\nHome --> Edit') + cue(2, '5 --> 6');
  t.deepEqual(readAs(srt), {
    cues: [
      [1000, 1500, 'a --> b\nHome --> Edit'],
      [2000, 2500, '5 --> 6'],
    ],
    notes: [{ note: 'arrow', line: 3, count: 3 }],
    read: srt,
  });
  const vtt = 'WEBVTT\n\n00:01.000 --> 00:02.000\na --> b\n';
  t.like(readAs(vtt), { cues: [[1000, 2000, 'a --> b']], notes: [{ note: 'arrow', line: 4, count: 1 }], read: vtt });
});

test('bug: line separators of Unicode refused an ASS file', (t) => {
  const head =
    '[Script Info]\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text';
  const file = `${head}\nDialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,one\u2028two`;
  t.deepEqual(readAs(file), {
    cues: [[1000, 2000, 'Default,,0,0,0,,one\u2028two']],
    notes: [{ note: 'line_separator', line: 4, count: 1 }],
    read: file,
  });
});

test('a part of a stream is read as it is written, and parts that were joined lose their headings', (t) => {
  const map = 'X-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000';
  const part = (at: number) => `WEBVTT\n${map}\n\n00:0${at}.000 --> 00:0${at}.500\nx\n\n`;
  t.deepEqual(readAs(part(1)), {
    cues: [[1000, 1500, 'x']],
    notes: [{ note: 'stream_clock', line: 2, count: 1 }],
    read: part(1),
  });
  const { cues, notes, read } = readAs(part(1) + part(2));
  t.deepEqual(cues, [
    [1000, 1500, 'x'],
    [2000, 2500, 'x'],
  ]);
  t.deepEqual(notes, [
    { note: 'stream_clock', line: 2, count: 2 },
    { note: 'repeated_head', line: 7, count: 1 },
  ]);
  t.is(read, `${part(1)}\n\n\n00:02.000 --> 00:02.500\nx\n\n`);
});

/** The bytes of a text in an encoding of one byte a character. */
function inEncoding(encoding: string, text: string): Buffer {
  const decoder = new TextDecoder(encoding);
  const bytes = new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]));
  // Node.js up to 22 has control characters there.
  if (encoding === 'windows-1252')
    for (const [at, sign] of [...'€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ'].entries())
      bytes.set(sign, 0x80 + at);
  return Buffer.from(
    [...text].map((sign) => {
      const byte = bytes.get(sign);
      if (byte === undefined) throw new RangeError(`${encoding} lacks ${sign}`);
      return byte;
    }),
  );
}

/** A few lines in each language, in the encoding that files in it often have. */
const lines: readonly (readonly [language: string, encoding: string, text: string])[] = [
  ['el', 'windows-1253', 'Το πλοίο φεύγει αύριο το πρωί στις επτά.\nΆντε, φέρε το πράσινο κουτί από την κουζίνα.'],
  ['he', 'windows-1255', 'הסירה יוצאת מחר בשבע בבוקר.\nתביא את הקופסה הירוקה מהמטבח.'],
  ['th', 'windows-874', 'เรือออกพรุ่งนี้เจ็ดโมงเช้า\nเอากล่องสีเขียวจากห้องครัวมาด้วย'],
  ['pl', 'windows-1250', 'Łódź odpływa jutro o siódmej rano.\nPrzynieś zieloną skrzynkę z kuchni, proszę.'],
  ['cs', 'windows-1250', 'Loď odplouvá zítra ráno v sedm.\nPřines zelenou krabici z kuchyně, prosím.'],
  ['sk', 'windows-1250', 'Loď odchádza zajtra ráno o siedmej.\nPrines zelenú škatuľu z kuchyne.'],
  ['tr', 'windows-1254', 'Tekne yarın sabah yedide kalkıyor.\nMutfaktan yeşil kutuyu getir, şimdi değil mi?'],
  ['ro', 'windows-1250', 'Nava pleacă mâine dimineaţă la şapte.\nAdu cutia verde din bucătărie, te rog.'],
  ['lt', 'windows-1257', 'Laivas išplaukia rytoj septintą ryto.\nAtnešk žalią dėžę iš virtuvės.'],
  ['lv', 'windows-1257', 'Laiva izbrauc rīt septiņos no rīta.\nAtnes zaļo kasti no virtuves, māsa.'],
  ['ar', 'windows-1256', 'يغادر القارب غدا في السابعة صباحا.\nأحضر الصندوق الأخضر من المطبخ.'],
  ['ru', 'koi8-r', 'Лодка уходит завтра в семь утра.\nПринеси зелёную коробку с кухни.'],
  ['ru', 'windows-1251', 'Лодка уходит завтра в семь утра.\nПринеси зелёную коробку с кухни.'],
  ['ru', 'ibm866', 'Лодка уходит завтра в семь утра.\nПринеси зелёную коробку с кухни.'],
  ['uk', 'koi8-u', 'Човен відпливає завтра о сьомій ранку.\nПринеси зелену коробку з кухні, її немає.'],
  ['bg', 'windows-1251', 'Лодката тръгва утре в седем сутринта.\nДонеси зелената кутия от кухнята.'],
  ['sr', 'windows-1251', 'Брод полази сутра ујутру у седам.\nДонеси зелену кутију из кухиње.'],
  ['hu', 'windows-1250', 'A hajó holnap reggel hétkor indul.\nA nővérem télen írta ezt a levelet, tűnt el.'],
  [
    'hr',
    'windows-1250',
    'Brod odlazi sutra ujutro u sedam, šteta.\nDonesi zelenu kutiju iz kuhinje, možeš li? Čini se.',
  ],
  ['fr', 'windows-1252', 'Le bateau part à sept heures, s’il te plaît.\nMa sœur a écrit cette lettre l’hiver dernier.'],
  ['de', 'windows-1252', 'Das Boot fährt morgen früh um sieben ab.\nBring die grüne Kiste aus der Küche mit.'],
  ['is', 'windows-1252', 'Báturinn fer klukkan sjö í fyrramálið.\nKomdu með græna kassann úr eldhúsinu.'],
  ['en', 'windows-1252', 'Don’t worry – it’s “fine”.'],
];

const srtOf = (text: string): string =>
  text
    .split('\n')
    .map((words, at) => cue(at + 1, words))
    .join('');

/** The encoding that the refusal of a file offers; undefined for a file that is taken. */
function offered(bytes: Uint8Array, stated: Parameters<typeof open>[1]): string | null | undefined {
  try {
    open(bytes, stated);
    return undefined;
  } catch (error) {
    if (!(error instanceof EncodingMismatch)) throw error;
    return error.likely;
  }
}

for (const [language, encoding, text] of lines) {
  test(`bug: the encoding of a file in ${language} was not ${encoding}`, (t) => {
    const bytes = inEncoding(encoding, srtOf(text));
    t.is(offered(bytes, { language }), encoding);
    t.is(offered(bytes, {}), encoding, 'without a language');
    t.is(offered(bytes, { language: 'sw' }), encoding, 'with a language whose letters are not known');
    t.is(offered(bytes, { language, encoding }), undefined);
    t.is(open(bytes, { language, encoding }).cues[0]?.text, text.split('\n', 1)[0]);
    t.deepEqual(open(bytes, { language, encoding }).notes, []);
  });
}

test('bug: a file that was sent in the wrong encoding was garbled and taken', (t) => {
  const wrong = { el: 'windows-1251', he: 'windows-1251', pl: 'windows-1252', cs: 'windows-1252', tr: 'windows-1252' };
  const more = { ro: 'windows-1252', lt: 'windows-1252', hu: 'windows-1252', hr: 'windows-1252', ar: 'windows-1252' };
  for (const [of, stated] of Object.entries({ ...wrong, ...more, uk: 'koi8-r', fr: 'windows-1250' })) {
    const [, encoding = '', text = ''] = lines.find(([language]) => language === of) ?? [];
    const bytes = inEncoding(encoding, srtOf(text));
    t.is(offered(bytes, { language: of, encoding: stated }), encoding, of);
    t.is(offered(bytes, { encoding: stated }), encoding, of);
  }
  const polish = inEncoding('windows-1250', srtOf(lines[3]?.[2] ?? ''));
  t.regex(
    t.throws(() => open(polish, { encoding: 'windows-1252' }), { instanceOf: ServiceError })?.message ?? '',
    /^from line \d+ on the bytes are “.”, .* in windows-1252; they look like windows-1250$/,
  );
});

test('letters that the stated language does not have are noted, and a few names are not', (t) => {
  const noted = (text: string, language: string) => open(srtOf(text), { language }).notes;
  t.like(noted('Лодка уходит завтра.\nПринеси.', 'en')[0], { note: 'other_letters', line: 2, count: 2 });
  t.deepEqual(noted('The boat leaves at seven.\nBring it.', 'ru'), [
    { note: 'other_letters', line: 2, count: 2, found: 'Latin letters' },
  ]);
  // Polish that was once read as windows-1252, and written as UTF-8.
  t.like(noted('£ódŸ odp³ywa o siódmej.\nPrzynieœ zielon¹ skrzynkê, proszê. Prawdê mówi¹, ¿e œpi¹.', 'pl')[0], {
    note: 'other_letters',
  });
  t.deepEqual(noted('Zoë and Björn met at the café.\nAt seven.', 'en'), []);
  t.deepEqual(noted('Łódź odpływa jutro.\nPrzynieś.', 'pl'), []);
  t.deepEqual(noted('Cześć, Jürgen i André.\nŁódź.', 'pl'), []);
});

test('a byte that broke a file in UTF-8 is named by its line, and no other encoding is offered', (t) => {
  const bytes = Buffer.from(
    srtOf('Das Boot fährt früh.\nBring die grüne Kiste aus der Küche über die Brücke.'),
    'utf8',
  );
  const broken = Buffer.concat([bytes.subarray(0, bytes.lastIndexOf('ü')), bytes.subarray(bytes.lastIndexOf('ü') + 1)]);
  const error = t.throws(() => open(broken), { instanceOf: EncodingMismatch });
  t.is(error?.message, 'line 7 has bytes that are not text in utf-8, as the rest of the file is');
});
