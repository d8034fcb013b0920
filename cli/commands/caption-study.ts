import { HostError } from '../../client/host-error.ts';
import type { StudyRequest } from '../../client/studies.ts';
import type { CaptionMethod, CaptionMethodRow } from '../../contract/captions/caption-method.ts';
import type { WorkProgress } from '../../contract/operation.ts';
import { asTyped, type CommandCall, WrongCall } from '../terminal/call.ts';
import { warningLine } from '../terminal/summary.ts';
import { attemptNames, otherWay, plannedWay, type WantedCaptions } from './caption-ways.ts';
import { checkReviewer } from './reviewer.ts';

/** The state of a study that gets no captions, and the way on. */
async function statusWords({ host }: CommandCall, runtimeId: string): Promise<string> {
  const { situation } = await host.overview(runtimeId);
  return `${situation.text}; ${asTyped(`evidence ${runtimeId}`)} lists the next steps`;
}

/** A study that captions can be made of. */
export interface StudiedFilm {
  readonly runtimeId: string;
  readonly method: CaptionMethod;
}

/** A study on the way to captions. `captions` are those that it has, or that are being made; else `row` is its method. */
interface Attempt {
  readonly runtimeId: string;
  readonly captions: 'done' | 'withheld' | 'under_way' | null;
  readonly isApproved: boolean;
  readonly row: CaptionMethodRow | undefined;
}

async function attemptAt({ host }: CommandCall, runtimeId: string, method: CaptionMethod): Promise<Attempt> {
  const { captions } = await host.overview(runtimeId);
  const { reviews } = await host.reviews.decisions(runtimeId);
  const { state } = captions;
  const has = state === 'done' || state === 'withheld' || state === 'under_way' ? state : null;
  const row = has === null ? (await host.captions.methods(runtimeId)).methods : [];
  return {
    runtimeId,
    captions: has,
    isApproved: reviews.some((review) => review.state === 'approved_for_caption_production'),
    row: row.find((each) => each.method === method),
  };
}

/** True if a study gives no captions by its method any more, though another one of the same film may. */
const isSpent = ({ captions, row }: Attempt): boolean =>
  captions === null &&
  (row?.state === 'needs_study' || row?.obstacles.some(({ code }) => code === 'attempts_failed') === true);

/** The study of a request without a name and a wish, by another command or an earlier version. Null if there is none. */
async function plainStudy({ host }: CommandCall, { source, request }: WantedCaptions) {
  const { runtimeId } = await host.plan(source, request);
  return host.status(runtimeId).catch((error: unknown) => {
    if (error instanceof HostError && error.status === 404) return null;
    throw error;
  });
}

/** The plain study as the one for a method that engines work for; null if it gives no captions. */
async function earlierStudy(call: CommandCall, wanted: WantedCaptions, { method, sends }: CaptionMethodRow) {
  const plain = await plainStudy(call, wanted);
  if (plain?.lifecycle !== 'terminal') return null;
  const attempt = await attemptAt(call, plain.runtimeId, method);
  // Another model may do better.
  if (attempt.captions === 'withheld' && sends.length > 0) return null;
  return attempt.captions !== null || attempt.row?.state === 'ready' ? attempt : null;
}

/** Warnings that are not about captions, or that the ways to captions word better. */
const ofOtherThings: readonly string[] = ['captions_not_possible', 'no_video_track', 'codec_may_not_play'];

/** Prints what is known before a study: of its work, only what this very request has to be done. */
async function warn({ host, terminal }: CommandCall, { source }: WantedCaptions, request: StudyRequest): Promise<void> {
  const { warnings } = await host.warnings(source, request);
  for (const warning of warnings) if (!ofOtherThings.includes(warning.code)) terminal.remark(warningLine(warning));
}

/**
 * The study for captions by a method: one that is there, or a new one, which recognizes speech only if the method needs it. After a
 * study that failed, or whose speech was not recognized, the next call begins another one. Throws for a study that fails now.
 */
async function studied(call: CommandCall, wanted: WantedCaptions, row: CaptionMethodRow): Promise<Attempt> {
  const { host, given, terminal, signal } = call;
  const { source, request } = wanted;
  const { recognition } = row;
  const usesEngines = recognition !== null || row.sends.length > 0;
  const isAgain = given.has('again');
  const earlier = usesEngines && !isAgain ? await earlierStudy(call, wanted, row) : null;
  if (earlier !== null) return earlier;
  const nameOf = await attemptNames(call, wanted, row);
  const isStudied = !usesEngines && !isAgain && (await plainStudy(call, wanted)) !== null;
  for (let attempt = 1; ; attempt += 1) {
    const own = usesEngines || isAgain || attempt > 1 ? { clientRequestId: nameOf(attempt) } : {};
    const wish = attempt === 1 && isStudied ? {} : { recognition };
    const asked = { ...request, ...own, ...wish };
    await warn(call, wanted, asked);
    const onProgress = (progress: WorkProgress) => terminal.measured(source.label, progress);
    const study = host.study(source, asked, { signal, onProgress });
    const { runtimeId, terminal: hadEnded, lifecycle: before } = await study.started;
    if (hadEnded && before !== 'terminal') continue;
    // Found at the approval, a wrong name would have cost the time of the study.
    if (given.has('reviewer')) checkReviewer(given, (await host.reviews.decisions(runtimeId)).reviewer);
    const { lifecycle } = await study.ended();
    if (lifecycle !== 'terminal') {
      throw new Error(`the study ${runtimeId} ended without captions: ${await statusWords(call, runtimeId)}`);
    }
    const found = await attemptAt(call, runtimeId, row.method);
    if (!hadEnded || !isSpent(found)) return found;
  }
}

/** The study that captions are made of, or that has some. Throws `WrongCall` for a film that gives none, with the ways that are left. */
export async function captionableStudy(call: CommandCall, wanted: WantedCaptions): Promise<StudiedFilm> {
  const tried: CaptionMethodRow[] = [];
  for (let row = await plannedWay(call, wanted); ; ) {
    const { method } = row;
    const found = await studied(call, wanted, row);
    const { runtimeId } = found;
    if (found.captions !== null || found.row?.state === 'ready') return { runtimeId, method };
    const { reviews } = await call.host.reviews.decisions(runtimeId);
    if (reviews.length > 0 && !found.isApproved)
      throw new WrongCall(`no captions can be made of ${wanted.film}: ${await statusWords(call, runtimeId)}`);
    tried.push(row);
    row = await otherWay(call, wanted, { runtimeId, tried });
  }
}
