import { HostError, NothingYet } from '../../client/host-error.ts';
import type { StudyHost } from '../../client/study-host.ts';
import { errorCodes } from '../../contract/base/errors.ts';
import type { CaptionProductionResults, QualityControlRow } from '../../contract/captions/caption-answers.ts';
import type { CaptionCorrections, ShownLine } from '../../contract/captions/correction.ts';
import type { RuntimeOverview } from '../../contract/overview.ts';
import { type FlagTable, type GivenFlags, single, toggle } from '../../options/flags.ts';
import { exitCodes, shownOn } from '../../options/outputs.ts';
import { argument, asTyped, type CommandCall, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { captioning, captionsFileLine, olderCaptionsNotes, withheldLine } from '../terminal/summary.ts';
import { areChanged } from './caption-lines.ts';
import { checkEdit, editCaptions, editFlags, sideOf } from './corrections.ts';
import { hasStudyOf, studyArgument } from './named.ts';
import { approving, isNothing, rethrownForApproval } from './review.ts';

/** A study has no captions: what is to be done before it can, or why it gets none. */
function noCaptionsYet(overview: RuntimeOverview): NothingYet {
  const { runtimeId, captions, actions } = overview;
  const isNext = (name: string) => actions.some(({ action }) => action === name);
  const making = `${asTyped(`captions ${runtimeId} --produce`)} makes them`;
  const hint =
    isNext('approve') && captions.state !== 'never'
      ? `a person approves it (${approving(runtimeId)}), then ${making}`
      : isNext('produce_captions')
        ? making
        : captioning(overview) !== null
          ? `${captioning(overview)} makes them, or names what they need`
          : `${captions.text}; ${asTyped(`evidence ${runtimeId}`)} lists the next steps`;
  return new NothingYet('the study has no captions yet', hint);
}

/** Rethrows the error of a client. If it means that a study has no captions, adds the reason from its overview. */
export const rethrownForCaptions = (host: Pick<StudyHost, 'overview'>, runtimeId: string) => async (error: unknown) => {
  if (!isNothing(error)) throw error;
  throw noCaptionsYet(await host.overview(runtimeId));
};

/** The lines of captions as files have them, and the verdict of the check that decides about them. */
interface FiledCaptions {
  readonly outcome: 'accepted' | 'withheld';
  readonly reasonCodes: readonly string[];
  /** Those that the check accepted. */
  readonly lines: readonly ShownLine[];
  readonly withheldLines: number;
}

/** Captions as files have them: if a person changed lines, the check of the changed lines decides. */
export function filedCaptions(
  control: Pick<QualityControlRow, 'outcome' | 'reasonCodes' | 'acceptedLineIds' | 'withheldLineIds'>,
  { lines, originals, check }: Pick<CaptionCorrections, 'lines' | 'originals' | 'check'>,
): FiledCaptions {
  if (check !== null && areChanged({ lines, originals })) {
    const { outcome, reasonCode, withheldCount: withheldLines } = check;
    const accepted = lines.filter(({ decision }) => decision.outcome === 'accepted');
    return { outcome, reasonCodes: [reasonCode], lines: accepted, withheldLines };
  }
  const { outcome, reasonCodes, acceptedLineIds, withheldLineIds } = control;
  const ids = new Set(acceptedLineIds);
  return { outcome, reasonCodes, lines: lines.filter(({ id }) => ids.has(id)), withheldLines: withheldLineIds.length };
}

/** The check of a study's captions, the record of their lines, and the lines as files have them. */
interface CaptionsWithCheck {
  readonly control: QualityControlRow;
  readonly results: CaptionProductionResults;
  readonly filed: FiledCaptions;
}

/**
 * The captions of a study, once they are checked. The record has their lines for good; the words of captions whose approval was
 * withdrawn are shown no more, as in a file. Throws `NothingYet`, and `HostError` `caption_authority_required`.
 */
export async function captionsOnceChecked(
  host: StudyHost,
  runtimeId: string,
  signal: AbortSignal,
): Promise<CaptionsWithCheck> {
  const control = await host.captions.checked(runtimeId, signal).catch(rethrownForCaptions(host, runtimeId));
  const filed = filedCaptions(control, await host.captions.corrections(runtimeId));
  // Read last: a withdrawal in between withholds everything.
  const results = await host.captions.results(runtimeId);
  if (results.results.every(({ verification }) => verification.authorityState === 'unrevoked')) {
    return { control, results, filed };
  }
  const [status, code] = [errorCodes.caption_authority_required, 'caption_authority_required'];
  const message = 'the approval of these captions was withdrawn';
  throw new HostError({ status, code, message, retryAfterSeconds: null });
}

const flags: FlagTable = {
  produce: toggle('makes the captions first, if the study is approved and has none'),
  side: single('SIDE', 'target', 'source or target'),
  ...editFlags,
  ...hostFlags,
};

/**
 * Makes captions of a study, unless some exist or are being made: asking for them again prints them. A host that has no way by itself
 * takes the first method that is ready. Throws `NothingYet` if an approval is missing, also one that would change nothing.
 */
async function produce({ host }: CommandCall, runtimeId: string): Promise<void> {
  const overview = await host.overview(runtimeId);
  const { captions, actions } = overview;
  if (['done', 'withheld', 'under_way'].includes(captions.state)) return;
  const chosen = captions.state === 'never' ? (await host.captions.methods(runtimeId)).chosen : null;
  const isHopeless = captions.state === 'never' && chosen === null;
  if (isHopeless && actions.some(({ action }) => action === 'approve')) throw noCaptionsYet(overview);
  const by = chosen === null ? {} : { method: chosen };
  await host.captions.produce(runtimeId, by).catch(rethrownForApproval(runtimeId));
}

/** The options of `captions edit` in a call. */
const givenEditFlags = (given: GivenFlags): string[] => Object.keys(editFlags).filter((name) => given.has(name));

/** A source may be called edit, too: the word before a study is the verb, and so is one with the options of the verb. */
const isEdit = (given: GivenFlags): boolean =>
  given.positional[0] === 'edit' && (given.positional.length > 1 || givenEditFlags(given).length > 0);

async function run(call: CommandCall) {
  const { host, given, terminal, signal } = call;
  const lacksStudy = given.positional[0] === 'edit' && !(await hasStudyOf(call, 'edit'));
  const runtimeId = await studyArgument(call, lacksStudy ? 1 : 0);
  const side = sideOf(given);
  if (given.has('produce')) await produce(call, runtimeId);
  const { control, results, filed } = await captionsOnceChecked(host, runtimeId, signal);
  if (filed.outcome === 'withheld') {
    terminal.result(control, [withheldLine(runtimeId, filed.reasonCodes)]);
    return exitCodes.withheld;
  }
  if (terminal.json) terminal.result(results, []);
  else process.stdout.write(shownOn(process.stdout, await host.captions.webvtt(runtimeId, side)));
  const overview = await host.overview(runtimeId);
  for (const note of olderCaptionsNotes(overview)) terminal.remark(note);
  if (given.has('produce')) terminal.remark(captionsFileLine(overview));
  return exitCodes.done;
}

/** Makes and reads captions. */
export const captions: HostCommand = {
  usage: 'media-study captions [edit] RUNTIME [flags]',
  purpose:
    'Prints the accepted captions of a study as WebVTT; with --json every line with its lineage. With edit, it opens the lines as SRT in your editor, or takes --file. It writes your changes as a correction that you attest.',
  flags,
  positionals: 2,
  studyAt: 'last',
  check: async (given) => {
    if (isEdit(given)) checkEdit(given);
    else if (given.positional.length > 1)
      throw new WrongCall(`${given.positional[0]}: edit is the only word before RUNTIME`);
    else {
      const [stray] = givenEditFlags(given);
      if (stray !== undefined) throw new WrongCall(`--${stray} is for captions edit`);
      argument(given, 0, 'RUNTIME');
      sideOf(given);
    }
  },
  run: (call) => (isEdit(call.given) ? editCaptions(call) : run(call)),
};
