import { HostError } from '../../client/host-error.ts';
import type { StudyRequest } from '../../client/studies.ts';
import type { StudyHost } from '../../client/study-host.ts';
import type { Range } from '../../contract/base/grammar.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session-list.ts';
import { timeCode } from '../../receipts/core/time-code.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The longest range that a host studies where its owner said nothing else. */
export const usualLimitMs = 600_000;

interface Asked {
  readonly host: Pick<StudyHost, 'warnings'>;
  readonly terminal: Pick<Terminal, 'remark'>;
}

/**
 * Says what the host warns of, and answers with the range that it studies: the one that is asked for. Where nobody named its
 * end (`isWhole`) and it is too long for one study of this host, it is as much as a host takes without an option.
 */
export async function warnedRange(
  { host, terminal }: Asked,
  source: SourceSessionRow,
  request: StudyRequest,
  { isWhole, ...asked }: Range & { readonly isWhole: boolean },
): Promise<Range> {
  const warned = async (range: Range): Promise<Range> => {
    const { warnings } = await host.warnings(source, { ...request, range });
    for (const { code, text } of warnings) terminal.remark(`warning ${code}: ${text}`);
    return range;
  };
  const { startMs, endMs } = asked;
  try {
    return await warned(asked);
  } catch (error) {
    const isTooLong = error instanceof HostError && error.code === 'study_range_too_large';
    if (!isTooLong || !isWhole || endMs - startMs <= usualLimitMs) throw error;
    const part = { startMs, endMs: startMs + usualLimitMs };
    const what = `studying ${timeCode(startMs)} to ${timeCode(part.endMs)} of ${timeCode(source.durationMs)}`;
    const whole = `a host that is started with --maximum-study-range-ms ${endMs - startMs} studies all of it`;
    terminal.remark(`${what}, because ${error.message}: --from and --to name another part, and ${whole}`);
    return warned(part);
  }
}
