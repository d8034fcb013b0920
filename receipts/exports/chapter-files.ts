import { webVttTime } from '../captions/webvtt.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { shotsOf } from './exported-facts.ts';
import type { ExportedFile } from './exported-file.ts';

/** The shots of the studied range as chapters in WebVTT (section 1.4 of the format: one cue a chapter). */
export function webVttChapters(runtime: VerifiedRuntime): ExportedFile {
  const { shots, contentId } = shotsOf(runtime);
  const cues = shots.map(
    ({ startMs, endMs }, at) => `${at + 1}\n${webVttTime(startMs)} --> ${webVttTime(endMs)}\nShot ${at + 1}`,
  );
  return { text: `${['WEBVTT', `NOTE\nshot changes ${contentId}`, ...cues].join('\n\n')}\n`, madeOf: [contentId] };
}

/** ffmpeg reads these characters of a value after a backslash only (ffmpeg-formats, Metadata). */
const escaped = (text: string): string => text.replaceAll(/[=;#\\\n]/g, (character) => `\\${character}`);

/** The same chapters as metadata of ffmpeg. */
export function ffmetadataChapters(runtime: VerifiedRuntime): ExportedFile {
  const { shots, contentId } = shotsOf(runtime);
  const head = [';FFMETADATA1', `;shot changes ${contentId}`, `title=${escaped(runtime.source.registered.label)}`];
  const chapters = shots.flatMap(({ startMs, endMs }, at) => [
    '[CHAPTER]',
    'TIMEBASE=1/1000',
    `START=${startMs}`,
    `END=${endMs}`,
    `title=Shot ${at + 1}`,
  ]);
  return { text: `${[...head, ...chapters].join('\n')}\n`, madeOf: [contentId] };
}
