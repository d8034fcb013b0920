import test from 'ava';
import { firstTranscriptGates, type GateReason, transcriptGates } from '../../../contract/evidence/transcript.ts';
import { compressionRatioOf } from '../../../receipts/recognition/compression.ts';
import { INVENTED_PHRASES, isKnownInvention } from '../../../receipts/recognition/invented-phrases.ts';
import { repeatedLines, repeatsItself } from '../../../receipts/recognition/repetition.ts';
import { type GateEvidence, gatedLines, type RecognisedLine } from '../../../receipts/recognition/transcript-gates.ts';
import { allSpeech, goodLine, line, measured } from './transcripts.ts';

const reasonsOf = (given: RecognisedLine, evidence: Partial<GateEvidence> = {}) => {
  const [judged] = gatedLines([given], { ...allSpeech, ...evidence });
  return judged?.reasonCodes;
};

test('a line that its evidence carries passes, whatever its recogniser leaves out', (t) => {
  t.deepEqual(gatedLines([goodLine], allSpeech), [{ ...goodLine, outcome: 'passed', reasonCodes: [] }]);
  const sure = measured({
    confidence: 0.9,
    averageLogProbability: -0.2,
    compressionRatio: 1.3,
    noSpeechProbability: 0.99,
  });
  t.deepEqual(reasonsOf(sure), []);
  t.deepEqual(reasonsOf(line({ second: 'The meeting will begin in about 10 minutes.' })), []);
});

const withheld: readonly (readonly [string, GateReason, RecognisedLine, Partial<GateEvidence>?])[] = [
  ['where nobody speaks', 'no_speech_evidence', goodLine, { speech: [] }],
  [
    'half of whose time and more nobody speaks',
    'no_speech_evidence',
    goodLine,
    { speech: [{ startMs: 0, endMs: 2_900 }] },
  ],
  [
    'whose words lie beside the speech',
    'no_speech_evidence',
    line({ words: [{ text: 'the', startMs: 4_000, endMs: 5_000, confidence: 1 }] }),
    { speech: [{ startMs: 0, endMs: 4_000 }] },
  ],
  ['that nobody speaks so fast', 'no_speech_evidence', line({ startMs: 1_000, endMs: 1_900 })],
  ['that nobody speaks so slowly', 'no_speech_evidence', line({ text: 'you', startMs: 1_000, endMs: 9_000 })],
  ['that names a sound', 'no_speech_evidence', line({ text: '[MUSIC PLAYING]' })],
  ['that has no words', 'no_speech_evidence', line({ text: '♪ ♪', endMs: 2_000 })],
  ['that takes no time', 'no_speech_evidence', line({ endMs: 1_000 })],
  ['with one word in a loop', 'repetition', line({ text: 'so so so so so so' })],
  ['with a phrase in a loop', 'repetition', line({ text: 'and then we go and then we go and then we go' })],
  [
    'with a phrase in a loop, without spaces',
    'repetition',
    line({ text: '这是一这是一这是一' }),
    { languages: ['zh'] },
  ],
  ['that its recogniser doubts by its words', 'low_confidence', measured({ confidence: 0.49 })],
  ['that its recogniser doubts as a whole', 'low_confidence', measured({ averageLogProbability: -1.01 })],
  ['that recognisers invent', 'low_confidence', line({ text: 'Thank you for watching!', endMs: 3_000 })],
  ['that its recogniser could compress too well', 'compression', measured({ compressionRatio: 2.41 })],
  ['in another script', 'language_mismatch', line({ text: '시청해 주셔서 감사합니다' })],
  [
    'in another language',
    'language_mismatch',
    line({ text: 'die Sitzung beginnt in ungefähr zehn Minuten im Saal', identified: 'de' }),
  ],
  [
    'in which its recogniser heard another language',
    'language_mismatch',
    goodLine,
    { regions: [{ startMs: 0, endMs: 10_000, language: 'German' }] },
  ],
  ['at the end of its region alone', 'boundary_only', line({ text: 'bye', startMs: 9_750, endMs: 10_000 })],
  ['at the start of its region alone', 'boundary_only', line({ text: 'oh', startMs: 0, endMs: 280 })],
  ['of no region', 'boundary_only', line({ regionIndex: 3 })],
  ['that a second run heard otherwise', 'disagreement', line({ second: 'the heating has been out for a minute' })],
];

for (const [what, reason, given, evidence] of withheld) {
  test(`a line ${what} is withheld: ${reason}`, (t) => {
    const [judged] = gatedLines([given], { ...allSpeech, ...evidence });
    t.is(judged?.outcome, 'withheld');
    t.true(judged?.reasonCodes.includes(reason), String(judged?.reasonCodes));
    t.is(judged?.text, given.text, 'it keeps its text');
  });
}

test('a line lists all its reasons, in one order', (t) => {
  const bad = { ...measured({ confidence: 0.1 }), text: 'ha ha ha ha ha ha ha ha ha', second: 'no' };
  t.deepEqual(reasonsOf(bad, { speech: [] }), ['no_speech_evidence', 'repetition', 'low_confidence', 'disagreement']);
});

test('what people say often is no loop, and what stands in many lines is', (t) => {
  for (const said of ['no, no, no, no', 'very, very good', 'again and again and again', 'we go, we go']) {
    t.false(repeatsItself(said), said);
  }
  t.deepEqual(repeatedLines(['yes', 'yes', 'yes', 'well then']), [false, false, false, false]);
  const loop = 'I am going to go to the next one';
  t.deepEqual(repeatedLines(['yes', loop, loop, loop, 'well then']), [false, true, true, true, false]);
  const lines = [0, 1, 2].map((index) => line({ index, text: loop }));
  t.true(gatedLines(lines, allSpeech).every(({ reasonCodes }) => reasonCodes.includes('repetition')));
});

test('a text that repeats itself could be written shorter, and prose could not', (t) => {
  t.true(compressionRatioOf('I am going to go to the next one. '.repeat(8)) > 2.4);
  const prose = 'He wrote down the number on a piece of paper and put it into the pocket of his coat.';
  t.true(compressionRatioOf(prose) < 1.6, String(compressionRatioOf(prose)));
  t.true(compressionRatioOf('yes') < 1);
});

test('a known invention passes only where a second run heard it too, and a sentence that holds one is none', (t) => {
  const goodbye = { text: 'Thank you for watching', endMs: 3_000 };
  t.deepEqual(reasonsOf(line({ ...goodbye, second: 'thank you for watching' })), []);
  t.true(reasonsOf(line({ ...goodbye, second: null }))?.includes('low_confidence'));
  t.false(isKnownInvention('she said thank you for watching the children while I was at the market', transcriptGates));
});

test('none of the phrases that recognisers invent passes, in any language, declared or not', (t) => {
  const languages = Object.keys(INVENTED_PHRASES);
  t.true(languages.length >= 10);
  for (const [language, phrases] of Object.entries(INVENTED_PHRASES)) {
    for (const text of phrases) {
      for (const languages of [[], [language], ['en']]) {
        const forms = [text, `${text}.`, text.toUpperCase()].map((form) => line({ text: form, identified: language }));
        for (const form of forms) t.not(reasonsOf(form, { languages })?.length, 0, `${form.text} for ${languages}`);
      }
    }
  }
});

test('several invented phrases in one line are an invention, in any order, and the first gates looked for one of them', (t) => {
  for (const [language, phrases] of Object.entries(INVENTED_PHRASES)) {
    for (const text of [
      phrases.join('. '),
      [...phrases].reverse().join(' '),
      `So, ${phrases.slice(0, 2).join('! ')}!`,
    ]) {
      t.true(isKnownInvention(text, transcriptGates), text);
      t.not(reasonsOf(line({ text, endMs: 30_000, identified: language }), { languages: [language] })?.length, 0, text);
    }
  }
  const both = 'Thanks for watching! See you in the next video.';
  t.false(isKnownInvention(both, firstTranscriptGates));
  t.true(isKnownInvention('Thanks for watching, everybody', firstTranscriptGates));
  // What phrases have in common counts once.
  t.false(
    isKnownInvention("don't forget to like and subscribe if the rest of it was of any use to you", transcriptGates),
  );
});

test('notes of sounds are not taken for words, alone or among words, and brackets of other kinds are no notes', (t) => {
  for (const text of [
    ...['[Music]', '[BLANK_AUDIO]', '(upbeat music)', '(audience applauds and cheers)', '*coughs*', '♪', '...', '-'],
    ...['[음악]', '[拍手]', '（笑）', '【音楽】そうですね', '[laughs] I told you so', 'I told you so (laughs).'],
  ]) {
    t.true(reasonsOf(line({ text, endMs: 2_500 }))?.includes('no_speech_evidence'), text);
    t.false(
      reasonsOf(line({ text, endMs: 2_500 }), { gates: firstTranscriptGates })?.includes('no_speech_evidence'),
      text,
    );
  }
  for (const text of [
    'we call f(x) a function',
    'call (206) 555 0100 now',
    '♪ you are my sunshine ♪',
    'five * six * seven',
  ]) {
    t.deepEqual(reasonsOf(line({ text })), [], text);
  }
});
