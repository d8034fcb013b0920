import { z } from 'zod';
import { trackFlag } from '../../contract/captions/caption-plan.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import { DetectionFailure } from '../../kinds/detection-failure.ts';
import { type Launcher, MEMORY_BYTES, type ProcessLimits } from '../process/process.ts';
import { parseToolJson, type ResolvedTool } from '../process/tools.ts';
import { MEDIA_GLOBAL_OPTIONS, MEDIA_INPUT_OPTIONS, mediaUrl } from '../sources/media-input.ts';

const flags = trackFlag.options;

const report = z.object({
  streams: z
    .array(
      z.object({
        index: z.number().int().nonnegative(),
        disposition: z.record(z.string(), z.number()).optional(),
        tags: z.object({ title: z.string().optional(), handler_name: z.string().optional() }).optional(),
      }),
    )
    .default([]),
});

const LIMITS: ProcessLimits = {
  wallMs: 20_000,
  cpuSeconds: 20,
  fileSizeBytes: 1024 * 1024,
  stdoutBytes: 1024 * 1024,
  stderrBytes: 1024 * 1024,
  memoryBytes: MEMORY_BYTES.packets,
};

const LONGEST_TITLE = 160;

/** A title as one line, or null. MP4 has the name of the handler in its place, which most writers fill with their own words. */
function titleOf(tags: z.infer<typeof report>['streams'][number]['tags']): string | null {
  const handler = tags?.handler_name ?? '';
  const stated = tags?.title ?? (/handler|gpac|apple|lavf/i.test(handler) ? '' : handler);
  const line = stated.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return line === '' ? null : [...line].slice(0, LONGEST_TITLE).join('');
}

function streamsIn(text: string): z.infer<typeof report>['streams'] {
  try {
    return report.parse(parseToolJson(text)).streams;
  } catch {
    throw new DetectionFailure('ffprobe listed streams in an unknown form');
  }
}

/**
 * The flags and the title that a container states for each of its streams, as parameters of evidence, by stream index. Rejects with
 * `ProcessFailure` or `DetectionFailure`.
 */
export async function statedOfTracks(
  { launcher, ffprobe }: { readonly launcher: Launcher; readonly ffprobe: ResolvedTool },
  path: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, EvidenceArtifact['parameters']>> {
  const entries = ['stream=index', `stream_disposition=${flags.join(',')}`, 'stream_tags=title,handler_name'].join(':');
  const input = [...MEDIA_GLOBAL_OPTIONS, ...MEDIA_INPUT_OPTIONS, '-of', 'json=c=1', '--', mediaUrl(path)];
  const args = ['-v', 'error', '-show_entries', entries, ...input];
  const { stdout } = await launcher.run({ tool: ffprobe.path, args, limits: LIMITS, signal });
  return new Map(
    streamsIn(stdout.toString('utf8')).map(({ index, disposition, tags }) => {
      const title = titleOf(tags);
      const set = flags.filter((flag) => disposition?.[flag] === 1);
      return [index, { flags: set.join(','), ...(title !== null && { title }) }];
    }),
  );
}
