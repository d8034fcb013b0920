import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { LabeledPairing, LabeledTranslations, PackItem } from '../../contract/evaluation.ts';
import { translationLabels } from '../../fixtures/translations/labels.ts';
import { ffmpeg, lengthMs } from './ffmpeg.ts';
import { itemOf } from './pack-item.ts';

/** The codes by which a container names languages. */
const threeLetters: Readonly<Record<string, string>> = {
  en: 'eng',
  de: 'ger',
  fr: 'fre',
  es: 'spa',
  ru: 'rus',
  ko: 'kor',
};

interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

/** How the target track of a file differs from its source track. */
interface Difference {
  readonly name: string;
  /** By how much every cue comes later. */
  readonly offsetMs: number;
  /** By how much edges of cues are moved, one this way and the next that way. */
  readonly shakeMs: number;
  readonly split: 'same' | 'joined' | 'halved';
  /** Every how many lines one is missing in the target, and in the source; 0 for none. */
  readonly missing: number;
  readonly missingInSource: number;
}

const same = { offsetMs: 0, shakeMs: 0, split: 'same', missing: 0, missingInSource: 0 } as const;

const differences: readonly Difference[] = [
  { ...same, name: 'same' },
  { ...same, name: 'joined', split: 'joined' },
  { ...same, name: 'halved', split: 'halved' },
  { ...same, name: 'late', offsetMs: 1700 },
  { ...same, name: 'early-joined', offsetMs: -2300, split: 'joined' },
  { ...same, name: 'missing', missing: 7 },
  { ...same, name: 'missing-halved', missing: 9, missingInSource: 8, split: 'halved' },
  { ...same, name: 'late-shaken', offsetMs: 700, shakeMs: 300 },
];

const firstMs = 3000;
const everyMs = 2850;

/** People do not speak to a beat, and an even beat has no unique offset. */
const paceMs = [0, 300, -250, 150, -100, 400, -350, 50, 200, -300, 100] as const;

/** One cue for each line; longer texts stay longer. */
const cuesOf = (texts: readonly string[]): Cue[] =>
  texts.map((text, at) => {
    const startMs = firstMs + at * everyMs + (paceMs[at % paceMs.length] ?? 0);
    return { startMs, endMs: startMs + Math.min(1900, 900 + 20 * text.length), text };
  });

/** Two cues of a line, parted at the word nearest its middle; one of a single word stays whole. */
function halved({ startMs, endMs, text }: Cue): Cue[] {
  const words = text.split(' ');
  const half = Math.ceil(words.length / 2);
  if (words.length < 2) return [{ startMs, endMs, text }];
  const middleMs = Math.round((startMs + endMs) / 2);
  return [
    { startMs, endMs: middleMs, text: words.slice(0, half).join(' ') },
    { startMs: middleMs, endMs, text: words.slice(half).join(' ') },
  ];
}

/** Every third line and the one behind it in one cue. */
const joined = (cues: readonly Cue[]): Cue[] =>
  cues.flatMap((cue, at) => {
    if (at % 3 === 1) return [];
    const next = at % 3 === 0 ? cues[at + 1] : undefined;
    return [next === undefined ? cue : { startMs: cue.startMs, endMs: next.endMs, text: `${cue.text}\n${next.text}` }];
  });

function targetCues(texts: readonly string[], { offsetMs, shakeMs, split }: Difference): Cue[] {
  const cues = cuesOf(texts);
  const parted = split === 'halved' ? cues.flatMap(halved) : split === 'joined' ? joined(cues) : cues;
  return parted.map(({ startMs, endMs, text }, at) => {
    const shake = (at % 2 === 0 ? 1 : -1) * shakeMs;
    return { startMs: startMs + offsetMs + shake, endMs: endMs + offsetMs - shake / 2, text };
  });
}

const at = (ms: number): string => new Date(ms).toISOString().slice(11, 23).replace('.', ',');
const srtOf = (cues: readonly Cue[]): string =>
  cues.map(({ startMs, endMs, text }, index) => `${index + 1}\n${at(startMs)} --> ${at(endMs)}\n${text}\n`).join('\n');

const isMissing = (every: number, place: number): boolean => every > 0 && place % every === every - 1;

function labelOf({ sourceLanguage, targetLanguage, lines }: LabeledTranslations, difference: Difference) {
  const label: LabeledPairing = {
    sourceLanguage,
    targetLanguage,
    lines: lines.map(({ source, translation }, place) => ({
      source: isMissing(difference.missingInSource, place) ? null : source,
      target: isMissing(difference.missing, place) ? null : translation,
    })),
  };
  return label;
}

/** The cues of the lines that a track has, in the time that each line has in all tracks. */
function cuesWith(texts: readonly (string | null)[], make: (whole: readonly string[]) => Cue[]): Cue[] {
  const missing = '\u0000';
  return make(texts.map((text) => text ?? missing)).flatMap((cue) => {
    const text = cue.text
      .split('\n')
      .filter((row) => row !== missing)
      .join('\n');
    return text === '' ? [] : [{ ...cue, text }];
  });
}

/** Films with two text tracks that differ in known ways, and with the lines of both as translations to be judged. */
export async function pairingItems(folder: string): Promise<PackItem[]> {
  const items: PackItem[] = [];
  for (const [index, translations] of translationLabels().entries()) {
    const difference = differences[index % differences.length] ?? differences[0];
    if (difference === undefined) throw new Error('no difference');
    const pairing = labelOf(translations, difference);
    const { sourceLanguage, targetLanguage, lines } = pairing;
    const name = `paired-${sourceLanguage}-${targetLanguage}-${difference.name}`;
    const tracks = {
      source: cuesWith(
        lines.map(({ source }) => source),
        cuesOf,
      ),
      target: cuesWith(
        lines.map(({ target }) => target),
        (texts) => targetCues(texts, difference),
      ),
    };
    const files = Object.entries(tracks).map(([side, cues]) => ({
      file: path.join(folder, 'work', `${name}-${side}.srt`),
      cues,
    }));
    for (const { file, cues } of files) await writeFile(file, srtOf(cues));
    const file = path.join(folder, 'paired', `${name}.mkv`);
    const inputs = [
      ...['-f', 'lavfi', '-i', 'color=c=0x203040:s=320x180:r=10'],
      // Without sound a study claims nothing, and nothing of it comes before a reviewer.
      ...['-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono'],
      ...files.flatMap((each) => ['-i', each.file]),
    ];
    const languages = [sourceLanguage, targetLanguage].flatMap((code, track) => [
      `-metadata:s:s:${track}`,
      `language=${threeLetters[code] ?? code}`,
    ]);
    const maps = ['-map', '0:v', '-map', '1:a', '-map', '2', '-map', '3'];
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'flac', '-c:s', 'srt'];
    ffmpeg(...inputs, ...maps, ...codecs, ...languages, '-t', '119.5', file);
    items.push(await itemOf(folder, file, Math.min(119_500, lengthMs(file)), { pairing, translations }));
  }
  return items;
}
