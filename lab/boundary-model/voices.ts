import { statSync } from 'node:fs';
import path from 'node:path';
import { type Recordings, recordedVoices, recordingsOf } from '../utterances/recorded-voices.ts';
import { samplesIn, samplesOf } from '../utterances/samples.ts';
import { levelled, noisyEdges, type SpokenRun, spokenRuns } from '../utterances/spoken-runs.ts';
import { Chance } from './chance.ts';

/** A voice, or several that speak the same prompts. */
interface TrainingVoice extends Recordings {
  readonly name: string;
  /** Of the files: in Tux Paint the language is a part of their names. */
  readonly ending?: string;
}

/** The speech of a voice, as runs of words and phrases. */
export interface SpokenVoice {
  readonly name: string;
  readonly runs: readonly SpokenRun[];
}

const each = (collection: string, from: string, folder: string, names: readonly string[]): TrainingVoice[] =>
  names.map((name) => ({ name: `${collection}-${name}`, package: from, folder: `${folder}/${name}` }));
const whole = (name: string): TrainingVoice => ({ name, package: name, folder: '.' });
const stamps = (language: string, ending: string): TrainingVoice => ({
  name: `tuxpaint-${language}`,
  package: 'tuxpaint-stamps-default',
  folder: 'tuxpaint',
  ending,
});

const hedgehogs = 'British Classic Default Default_es Default_pl HillBilly Mobster Pirate Robot Singer Surfer';

const ownVoices: readonly TrainingVoice[] = [
  ...each('klettres', 'klettres-data', 'klettres', 'ar cs es fr he hu it ml nb lt en'.split(' ')),
  ...each('ktuberling', 'ktuberling-data', 'ktuberling/sounds', 'de en es fi fr gl it pt ro sl sr sv wa'.split(' ')),
  ...['asterisk-prompt-es-co', 'asterisk-prompt-fr-armelle', 'asterisk-prompt-it-menardi-wav'].map(whole),
  ...'fr ro ca bg es be el lt ml'.split(' ').map((language) => stamps(language, `_desc_${language}.ogg`)),
  stamps('en', '_desc.ogg'),
  ...each('hedgewars', 'hedgewars-data', 'games/hedgewars/Data/Sounds/voices', hedgehogs.split(' ')),
];

const heldOut = recordedVoices.filter(({ half }) => half === 'held-out');
// A volunteer of one of these collections may have recorded another one too.
const volunteers = /^(?:klettres|ktuberling|tuxpaint|hedgewars)-/;
const heldOutLanguages = heldOut.filter(({ name }) => volunteers.test(name)).map(({ folder }) => path.basename(folder));

/** True if a voice is held out for measuring, or comes from volunteers who speak a language of a voice that is. */
export const isHeldOut = (voice: TrainingVoice): boolean =>
  heldOut.some((kept) => kept.package === voice.package && kept.folder === voice.folder) ||
  (volunteers.test(voice.name) && heldOutLanguages.some((language) => languageOf(voice) === language));

const languageOf = ({ name }: TrainingVoice): string => name.replace(/^[^-]+-(?:Default_)?/, '');

/**
 * The voices to train on; those held out are never among them. Thresholds are tuned on the voices for tuning, with a model
 * trained without them (`withTuning` is false). The final model is trained on those voices too.
 */
export function trainingVoices(withTuning: boolean): readonly TrainingVoice[] {
  const tuning = recordedVoices.filter(({ half }) => half === 'tuning');
  const voices = withTuning ? [...ownVoices, ...tuning] : ownVoices;
  const wrong = voices.find(isHeldOut);
  if (wrong !== undefined) throw new Error(`the voice ${wrong.name} is held out`);
  return voices;
}

const mostRecordings = 420;
const leastBytes = 1500;
const leastMs = 100;
const decodedTogether = 20;
/** A voice with fewer runs would repeat itself too much. */
const leastRuns = 4;

/** The recorded speech of the voices; those with too few runs are left out. */
export async function spokenVoices(work: string, voices: readonly TrainingVoice[]): Promise<SpokenVoice[]> {
  const spoken: SpokenVoice[] = [];
  for (const [at, voice] of voices.entries()) {
    const runs = runsIn(await chosenRecordings(work, voice, new Chance(at)));
    console.log(`${voice.name}: ${runs.length} runs of speech`);
    if (runs.length >= leastRuns) spoken.push({ name: voice.name, runs });
  }
  return spoken;
}

/** The runs of speech in recordings, all leveled to the same loudness. */
export const runsIn = (files: readonly string[]): SpokenRun[] =>
  decoded(files).flatMap((samples) =>
    samples.length < samplesIn(leastMs) ? [] : spokenRuns(samples, noisyEdges).map(levelled),
  );

async function chosenRecordings(work: string, voice: TrainingVoice, chance: Chance): Promise<string[]> {
  return (await recordingsOf(work, voice))
    .filter((file) => file.endsWith(voice.ending ?? '') && statSync(file).size > leastBytes)
    .map((file) => ({ file, place: chance.next() }))
    .sort((one, other) => one.place - other.place)
    .slice(0, mostRecordings)
    .map(({ file }) => file);
}

/** The samples of recordings; those that are decoded together with one that ffmpeg refuses are left out. */
function decoded(files: readonly string[]): Float32Array[] {
  const samples: Float32Array[] = [];
  for (let at = 0; at < files.length; at += decodedTogether) {
    try {
      samples.push(...samplesOf(files.slice(at, at + decodedTogether)));
    } catch {
      console.log(`without ${files[at]} and those behind it`);
    }
  }
  return samples;
}
