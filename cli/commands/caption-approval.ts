import { HostError } from '../../client/host-error.ts';
import type { CaptionMethod } from '../../contract/captions/caption-method.ts';
import type { CaptionPlan } from '../../contract/captions/caption-plan.ts';
import { approvalReasons, attestations, type Reviewer } from '../../contract/review.ts';
import { countText } from '../../formats/readable-numbers.ts';
import type { GivenFlags } from '../../options/flags.ts';
import { type CommandCall, WrongCall } from '../terminal/call.ts';
import { planLines, readFirst, ruleLines, wholePlanLines } from '../terminal/plan-lines.ts';
import { isAgreed, type Shown } from '../terminal/question.ts';
import { unrecognizedLines } from '../terminal/summary.ts';
import { captionTexts, type ShownText, timedLine } from './caption-lines.ts';
import { mustAgree } from './reviewer.ts';

/** A study that a person may approve, and the way to its captions; null for the caption executor of the host. */
export interface ApprovableStudy {
  readonly runtimeId: string;
  readonly method: CaptionMethod | null;
}

/** The plan of the captions of a study with its lines, as the person sees it. */
export interface ShownPlan {
  readonly plan: CaptionPlan;
  readonly digest: string;
  readonly texts: readonly ShownText[];
}

/** The tracks of `--track`, by their stream indexes. Throws `WrongCall`. */
export function namedTracks(given: GivenFlags): readonly number[] {
  const tracks = given.all('track');
  const wrong = tracks.find((track) => !/^\d{1,9}$/.test(track));
  if (wrong !== undefined) throw new WrongCall(`--track ${wrong}: the number of a track is needed`);
  if (tracks.length > 2) throw new WrongCall('--track is given at most twice: once for each language');
  return tracks.map(Number);
}

/** The caption plan of a study; null if no captions come of it, and on a host of an earlier version. */
export async function captionPlanOf(
  { host, given }: CommandCall,
  { runtimeId, method }: ApprovableStudy,
): Promise<Pick<ShownPlan, 'plan' | 'digest'> | null> {
  const tracks = namedTracks(given);
  const choices = { ...(method !== null && { method }), ...(tracks.length > 0 && { tracks }) };
  try {
    return await host.captions.plan(runtimeId, choices);
  } catch (error) {
    const none = ['not_found', 'illegal_caption_transition', 'caption_lines_unavailable'];
    if (error instanceof HostError && none.includes(error.code)) return null;
    throw error;
  }
}

/** So many lines of captions are shown before the question. */
const firstLines = 12;

/** Shows the lines that the recognizer doubts most, in place of the first ones of the film. */
function showFirst(call: CommandCall, { doubtful }: CaptionPlan, texts: readonly ShownText[], most: number): void {
  if (doubtful === undefined) {
    showTexts(call, texts, most);
    return;
  }
  const { terminal } = call;
  const lines = doubtful.first.slice(0, most);
  const count = texts.reduce((sum, { lines: of }) => Math.max(sum, of.length), 0);
  terminal.remark(`${countText(count, 'line')} of recognized speech. ${readFirst(lines.length)}`);
  for (const line of lines) terminal.remark(timedLine(line));
  const left = doubtful.lines - lines.length;
  if (left > 0) terminal.remark(`  … and ${left} more with a doubtful word`);
  const shown = new Set(lines.map(({ startMs }) => startMs));
  const others = texts.flatMap(({ what, lines: all }) => {
    const rest = all.filter(({ startMs }) => !shown.has(startMs));
    return rest.length === 0 ? [] : [{ what: `${what} beside them`, lines: rest }];
  });
  if (lines.length < most) showTexts(call, others, most - lines.length);
}

function showTexts({ terminal }: Pick<CommandCall, 'terminal'>, texts: readonly ShownText[], most: number): void {
  const each = Math.max(1, Math.floor(most / Math.max(1, texts.length)));
  for (const { what, lines } of texts) {
    terminal.remark(`${countText(lines.length, 'line')} of ${what}:`);
    for (const line of lines.slice(0, each)) terminal.remark(timedLine(line));
    if (lines.length > each) terminal.remark(`  … and ${lines.length - each} more`);
  }
}

/**
 * Shows what captions of a study will be made of: their source with all that is not as it should be, and the first lines. Null for a
 * study of which no captions come. A plan with obstacles cannot be approved.
 */
export async function shownPlan(
  call: CommandCall,
  study: ApprovableStudy,
  most = firstLines,
): Promise<ShownPlan | null> {
  const { host, terminal } = call;
  const planned = await captionPlanOf(call, study);
  if (planned === null) return null;
  const { runtimeId } = study;
  const texts = captionTexts(await host.captions.corrections(runtimeId, { plan: planned.digest }));
  for (const line of unrecognizedLines(await host.overview(runtimeId))) terminal.remark(line);
  for (const line of planLines(planned.plan)) terminal.remark(line);
  showFirst(call, planned.plan, texts, most);
  return { ...planned, texts };
}

/** The texts that a person can read at the question: all lines, and the whole plan. Several films have their names above them. */
export function readable(
  { terminal }: Pick<CommandCall, 'terminal'>,
  plans: readonly (ShownPlan & { readonly name: string })[],
): readonly Shown[] {
  if (plans.length === 0) return [];
  const lines = plans.reduce((sum, { plan }) => sum + plan.lines.count, 0);
  const showEach = (show: (shown: ShownPlan) => void) => () => {
    for (const shown of plans) {
      if (plans.length > 1) terminal.remark(`${shown.name}:`);
      show(shown);
    }
  };
  return [
    {
      word: 'lines',
      meaning: `to read ${lines === 1 ? 'the line' : `all ${lines} lines`}`,
      show: showEach(({ texts }) => showTexts({ terminal }, texts, Infinity)),
    },
    {
      word: 'plan',
      meaning: 'for details',
      show: () => {
        showEach(({ plan }) => {
          for (const line of wholePlanLines(plan)) terminal.remark(line);
        })();
        // The rules are those of the host, and the same for all films.
        for (const { plan } of plans.slice(0, 1)) for (const line of ruleLines(plan)) terminal.remark(line);
      },
    },
  ];
}

/** A film whose captions wait for the decision of a person. */
export interface FilmToApprove<Film> {
  readonly film: Film;
  readonly call: CommandCall;
  readonly runtimeId: string;
  readonly name: string;
  readonly reviewer: Reviewer;
  readonly shown: ShownPlan | null;
}

/** True if a person has to decide before captions of a study are made: none are made or being made, and none are approved. */
export async function needsApproval({ host }: CommandCall, runtimeId: string): Promise<boolean> {
  const { captions } = await host.overview(runtimeId);
  if (captions.state === 'done' || captions.state === 'withheld' || captions.state === 'under_way') return false;
  const { reviews } = await host.reviews.decisions(runtimeId);
  return !reviews.some(({ state }) => state === 'approved_for_caption_production');
}

/** The refusal of a decision, in words for the person who saw another plan; any other error as it is. */
export const planRefusal = (error: unknown, name: string): unknown =>
  error instanceof HostError && error.code === 'caption_plan_mismatch'
    ? new WrongCall(
        `nothing was approved: what the captions of ${name} will be made of has changed since it was shown. Run the command again to see it.`,
      )
    : error;

/** Writes the decision of a person who has seen the plan. */
async function decide({ call, runtimeId, name, reviewer, shown }: FilmToApprove<unknown>): Promise<void> {
  const decision = { outcome: 'approve_for_caption_production', reasonCodes: approvalReasons, note: null } as const;
  const by = { reviewerId: reviewer.id, attestation: attestations.decision };
  const plan = shown === null ? {} : { plan: shown.digest };
  await call.host.reviews.decide(runtimeId, decision, by, plan).catch((error: unknown) => {
    throw planRefusal(error, name);
  });
}

const summaryLine = ({ name, shown }: FilmToApprove<unknown>, at: number): string => {
  const counts = shown === null ? null : shown.plan.counts;
  const notes = [
    ...(counts === null || counts.gaps === 0 ? [] : [`${countText(counts.gaps, 'spoken passage')} without a line`]),
    ...(counts === null || counts.leftOut === 0 ? [] : [`${countText(counts.leftOut, 'line')} left out`]),
    ...(shown?.plan.compared === 'none' ? ['nothing was compared with the film'] : []),
  ];
  const lines = shown === null ? [] : [countText(shown.plan.lines.count, 'line')];
  return `  ${at + 1}. ${name}: ${[...lines, ...notes].join(', ')}`;
};

/**
 * Asks the person once about all films that wait, and then calls `each` for one film after the other. Throws `WrongCall` if they do not
 * approve.
 */
export async function approveFilms<Film>(
  call: CommandCall,
  waiting: readonly FilmToApprove<Film>[],
  each: (film: FilmToApprove<Film>, approve: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const [first] = waiting;
  if (first === undefined) return;
  const { terminal } = call;
  if (waiting.length > 1) {
    terminal.remark(`${waiting.length} films wait for your approval:`);
    for (const [at, film] of waiting.entries()) terminal.remark(summaryLine(film, at));
  }
  if (await mustAgree(call, first.reviewer, { statement: attestations.decision, verb: 'approve' })) {
    const plans = waiting.flatMap(({ shown, name }) => (shown === null ? [] : [{ ...shown, name }]));
    const question = waiting.length === 1 ? 'Approve?' : `Approve all ${waiting.length}?`;
    if (!(await isAgreed(terminal, question, readable(call, plans))))
      throw new WrongCall('Nothing was approved. The study stays; to decide later, run the command again.');
  }
  for (const film of waiting) await each(film, () => decide(film));
}
