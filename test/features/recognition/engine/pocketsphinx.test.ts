import test from 'ava';
import { pocketsphinxRegion } from '../../../../features/recognition/engine/pocketsphinx.ts';

test('each utterance is a line of words with times and confidences, without silence and noise', (t) => {
  const printed = [
    'go forward(2) ten',
    '<s> 0.000 0.200 0.999500',
    'go 0.210 0.300 0.297649',
    '<sil> 0.310 0.400 0.9',
    'forward(2) 0.410 0.900 1.000100',
    '[NOISE] 0.910 1.000 0.5',
    'ten 1.010 1.250 1e-05',
    '</s> 1.260 1.300 1.000000',
    '',
    '<s> 2.000 2.100 1.000000',
    'meters',
    'meters 2.300 2.620 0.5',
    '',
  ].join('\n');
  const none = { averageLogProbability: null, compressionRatio: null, noSpeechProbability: null };
  t.deepEqual(pocketsphinxRegion(printed), {
    language: null,
    lines: [
      {
        text: 'go forward ten',
        startMs: 210,
        endMs: 1250,
        words: [
          { text: 'go', startMs: 210, endMs: 300, confidence: 0.2976 },
          { text: 'forward', startMs: 410, endMs: 900, confidence: 1 },
          { text: 'ten', startMs: 1010, endMs: 1250, confidence: 0 },
        ],
        measures: { confidence: 0.4325, ...none },
      },
      {
        text: 'meters',
        startMs: 2300,
        endMs: 2620,
        words: [{ text: 'meters', startMs: 2300, endMs: 2620, confidence: 0.5 }],
        measures: { confidence: 0.5, ...none },
      },
    ],
  });
  t.deepEqual(pocketsphinxRegion(''), { language: null, lines: [] });
  t.throws(() => pocketsphinxRegion('go 0.210 0.300 0.29'), { message: /^invalid_output: / });
});
