import { readFile } from 'node:fs/promises';
import type { ExecutionContext } from 'ava';
import type { Range } from '../../../../contract/base/grammar.ts';
import type { TranscriptLineFact } from '../../../../contract/evidence/evidence.ts';
import type { Recognizer } from '../../../../executors/recognition/recognizer.ts';
import { placedTranscript, REGION_RULE, speechOf, speechRegions } from '../../../../rules/recognition.ts';
import { WINDOW_RULE, windowAlone, windowsOf } from '../../../../rules/recognition-windows.ts';
import { artifactOf, type DetectionBench, detect } from '../../../executors/evidence/detection-for-tests.ts';
import { judgedLines } from '../../../receipts/recognition/transcripts.ts';

const HEAD_BYTES = 44;
const BYTES_PER_MS = 32;
const heard = { samples: 0, contentId: `sha256:${'0'.repeat(64)}` };

/** The text recognized in a WAVE file at 16 kHz in mono, and the speech that the detector finds in it. */
export interface RecognizedFile {
  readonly lines: readonly TranscriptLineFact[];
  readonly regions: readonly Range[];
  readonly speech: readonly Range[];
}

/**
 * Recognizes a file as a study would, with its own speech detection. With `everywhere` the recognizer gets all of it in
 * pieces of 30 s, while the gates use the speech that was really detected.
 */
export async function recognizeFile(
  t: ExecutionContext,
  bench: DetectionBench,
  file: string,
  {
    recognizer,
    everywhere = false,
    language = 'en',
  }: { recognizer: Recognizer; everywhere?: boolean; language?: string },
): Promise<RecognizedFile> {
  const samples = (await readFile(file)).subarray(HEAD_BYTES);
  const endMs = Math.floor(samples.length / BYTES_PER_MS);
  const range = { startMs: 0, endMs };
  const detections = await detect(bench, file, [0, endMs], { audioTrackIndex: 0, videoTrackIndex: null });
  const speech = artifactOf(t, detections, 'speech_activity');
  const silences = artifactOf(t, detections, 'silence');
  const pieces = Array.from({ length: Math.ceil(endMs / REGION_RULE.longestMs) }, (_, at) => ({
    startMs: at * REGION_RULE.longestMs,
    endMs: Math.min(endMs, (at + 1) * REGION_RULE.longestMs),
  }));
  const regions = everywhere ? pieces : speechRegions(range, speech, silences);
  const isJoined = recognizer.wordTimes !== 'none' && !everywhere;
  const windows = isJoined ? windowsOf(regions, WINDOW_RULE) : regions.map(windowAlone);
  const { signal } = new AbortController();
  const recognized = [];
  for (const window of windows) {
    const sound = samples.subarray(window.startMs * BYTES_PER_MS, window.endMs * BYTES_PER_MS);
    recognized.push({ ...window, heard, raw: await recognizer.recognize({ samples: sound, language }, signal) });
  }
  const placed = placedTranscript(recognized, speechOf(speech));
  const lines = judgedLines(
    placed.lines.map((line) => ({ ...line, identified: null, second: null })),
    { speech: speechOf(speech), regions: placed.regions, languages: [language] },
  );
  return { lines, regions, speech: speechOf(speech) };
}

export const passedOf = ({ lines }: RecognizedFile): string[] =>
  lines.filter(({ outcome }) => outcome === 'passed').map(({ text }) => text);
