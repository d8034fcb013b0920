import { readFile } from 'node:fs/promises';
import { messageOf } from '../../contract/base/errors.ts';
import type { SelfTestResult } from '../../contract/engine-work.ts';
import type { RawRegion } from '../../contract/recognition.ts';
import { type Recognizer, secondsOf } from '../../executors/recognition/recognizer.ts';
import { programFile } from '../../options/program-file.ts';
import { editDistance, tokensOf } from '../../rules/text-comparison.ts';
import { EngineRefusal } from './engine-refusal.ts';

/** What `fixtures/self-test/speech.wav` says: a voice of flite (`slt`), 4 s at 16 kHz. */
export const spokenText = 'The train to the city leaves at half past nine in the morning.';

/** Fewer right words than this share are the answer of a model that is broken, or of another language. The number is a choice. */
const leastRightShare = 0.25;

const rate = 16_000;
const seconds = 4;

/** 16-bit samples of a function of the time in seconds, with values from -1 to 1. */
function samplesOf(valueAt: (time: number) => number): Buffer {
  const samples = Buffer.alloc(2 * rate * seconds);
  for (let at = 0; at < rate * seconds; at += 1) samples.writeInt16LE(Math.round(32_767 * valueAt(at / rate)), 2 * at);
  return samples;
}

/** White noise at about -29 dB. Its generator (Numerical Recipes, "quick and dirty") begins alike each time: equal trials get equal sound. */
function noise(): Buffer {
  let state = 1;
  return samplesOf(() => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 0.06 * ((2 * state) / 2 ** 32 - 1);
  });
}

/** Two chords in turn, with their attacks, at about -14 dB. */
const music = (): Buffer =>
  samplesOf((time) => {
    const chord = Math.floor(time * 2) % 2 === 0 ? [262, 330, 392] : [220, 262, 349];
    const decay = Math.exp(-3 * (time % 0.5));
    return chord.reduce((sum, hertz) => sum + 0.12 * decay * Math.sin(2 * Math.PI * hertz * time), 0);
  });

const headBytes = 44;

/** The samples of the spoken sentence. */
const speech = async (): Promise<Buffer> =>
  (await readFile(programFile('fixtures/self-test/speech.wav'))).subarray(headBytes);

const textOf = ({ lines }: RawRegion): string => lines.map(({ text }) => text).join(' ');

/**
 * Tries a recognizer with a spoken sentence, noise and chords, through the request that studies use. `now` is a time in ms. Rejects with
 * `engine_failed`, `nothing_heard` or `wrong_words` for an engine that cannot work.
 */
export async function selfTested(
  recognizer: Pick<Recognizer, 'recognize'>,
  now: () => number,
  signal: AbortSignal,
): Promise<SelfTestResult> {
  const heard = async (samples: Buffer): Promise<RawRegion> => {
    try {
      return await recognizer.recognize({ samples, language: 'en' }, signal);
    } catch (error) {
      throw new EngineRefusal('engine_failed', messageOf(error), error);
    }
  };
  const spoken = await speech();
  const begun = now();
  const answer = await heard(spoken);
  const secondsPerSecond = (now() - begun) / 1000 / secondsOf({ samples: spoken });
  const text = textOf(answer);
  const [wanted, found] = [tokensOf(spokenText), tokensOf(text)];
  const wordsRight = Math.max(0, wanted.length - editDistance(wanted, found));
  if (found.length === 0) {
    throw new EngineRefusal(
      'nothing_heard',
      'the engine ran and found no word in a spoken sentence: its model is cut off or broken, and every film would have no speech',
    );
  }
  if (wordsRight < leastRightShare * wanted.length) {
    throw new EngineRefusal(
      'wrong_words',
      `the engine heard "${text}" where "${spokenText}" is spoken: ${wordsRight} of ${wanted.length} words are right`,
    );
  }
  const elsewhere = [await heard(noise()), await heard(music())];
  const words = answer.lines.flatMap((line) => line.words);
  return {
    wordsRight,
    wordsSpoken: wanted.length,
    wordsInvented: elsewhere.reduce((sum, region) => sum + tokensOf(textOf(region)).length, 0),
    hasWords: words.length > 0,
    hasTimes: words.length > 0 && words.every(({ startMs, endMs }) => startMs !== null && endMs !== null),
    hasConfidences:
      words.some(({ confidence }) => confidence !== null) ||
      answer.lines.some(({ measures }) => measures.confidence !== null),
    secondsPerSecond,
    text,
  };
}

/** A result as lines for people. */
export const selfTestLines = (result: SelfTestResult): readonly string[] => [
  `words right: ${result.wordsRight} of ${result.wordsSpoken}; invented in noise and music: ${result.wordsInvented}${result.wordsInvented === 0 ? '' : ' (studies give it detected speech alone)'}`,
  `words: ${result.hasWords ? 'yes' : 'no'}; times: ${result.hasTimes ? 'yes' : 'no'}; confidences: ${result.hasConfidences ? 'yes' : 'no'}`,
  `speed: ${result.secondsPerSecond.toFixed(1)} s for a second of speech, in a call of 4 s`,
];
