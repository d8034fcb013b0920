import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { systemClock } from '../../actors/supervision/system-clock.ts';
import type { Range } from '../../contract/base/grammar.ts';
import { openDetector } from '../../executors/detector/detector.ts';
import { detectRange } from '../../executors/evidence/detect.ts';
import { openLauncher } from '../../executors/process/launcher.ts';
import { resolveTools } from '../../executors/process/tools.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import { detectedSpeech } from '../../kinds/speech-activity.ts';
import { speechOf } from '../../rules/recognition.ts';
import type { TruthFilm } from './cases.ts';

/** The windows of speech in a film, and those that the detector dropped. */
export interface HeardFilm {
  readonly speech: readonly Range[];
  readonly unconfirmed: readonly Range[];
}

/** Dropped windows as the study states them: `START-END, …` in ms. */
const windowsIn = (text: unknown): Range[] =>
  String(text ?? '')
    .split(', ')
    .flatMap((window) => {
      const [startMs = 0, endMs = 0] = window.split('-').map(Number);
      return startMs < endMs ? [{ startMs, endMs }] : [];
    });

/** What is kept beside a film, for its bytes and the parameters of the detector. */
interface Kept extends HeardFilm {
  readonly key: string;
}

async function keptOf(file: string, key: string): Promise<Kept | null> {
  try {
    const kept: Kept = JSON.parse(await readFile(file, 'utf8'));
    return kept.key === key ? kept : null;
  } catch {
    return null;
  }
}

/**
 * The speech in each film, by its name, as a study detects it. It is kept in `NAME.heard.json` beside the film, so that the next run
 * compares subtitles only. `folder` is for what the detection writes.
 */
export async function speechIn(films: readonly TruthFilm[], folder: string): Promise<Map<string, HeardFilm>> {
  const heard = new Map<string, HeardFilm>();
  const missing: { film: TruthFilm; key: string; kept: string }[] = [];
  for (const film of films) {
    const digest = createHash('sha256')
      .update(await readFile(film.file))
      .digest('hex');
    const key = hashOf({ digest, parameters: detectedSpeech.parameters });
    const kept = `${film.file.slice(0, film.file.lastIndexOf('.'))}.heard.json`;
    const found = await keptOf(kept, key);
    if (found === null) missing.push({ film, key, kept });
    else heard.set(film.name, found);
  }
  if (missing.length === 0) return heard;
  const launcher = await openLauncher({ workRoot: await mkdtemp(`${folder}/work-`), newId: randomUUID });
  const tools = await resolveTools(launcher, process.env);
  const detector = openDetector({ launcher, clock: systemClock, idleMs: 60_000 });
  for (const { film, key, kept } of missing) {
    const { name, file, lengthMs } = film;
    const { detections } = await detectRange(
      { launcher, ...tools, detector },
      {
        path: file,
        sourceContentId: `sha256:${'0'.repeat(64)}`,
        range: { startMs: 0, endMs: lengthMs },
        audioTrackIndex: file.endsWith('.mp4') || file.endsWith('.mkv') ? 1 : 0,
        videoTrackIndex: null,
        signal: new AbortController().signal,
        keep: async () => undefined,
      },
    );
    const found = detections.find(({ kind }) => kind === 'speech_activity');
    const artifact = found?.state === 'available' ? found.artifact : null;
    const speech = artifact === null ? [] : speechOf(artifact);
    const unconfirmed = windowsIn(artifact?.parameters.unconfirmedWindowsMs);
    heard.set(name, { speech, unconfirmed });
    await writeFile(kept, JSON.stringify({ key, speech, unconfirmed } satisfies Kept));
  }
  await detector.close();
  await launcher.close();
  return heard;
}
