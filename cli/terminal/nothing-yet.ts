import { HostError, NothingYet } from '../../client/host-error.ts';
import type { StudyHost } from '../../client/study-host.ts';
import type { RuntimeOverview } from '../../contract/overview/runtime-overview.ts';
import { asTyped } from './as-typed.ts';

const approving = (runtimeId: string) => asTyped(`review approve ${runtimeId}`);

/** No approval of a study stands. */
export const noApproval = (runtimeId: string): NothingYet =>
  new NothingYet('no approval of this study stands', `a person has to approve it (${approving(runtimeId)})`);

/** A study has no captions: what is to be done before it can, or why it gets none. */
export function noCaptions({ runtimeId, captions, actions }: RuntimeOverview): NothingYet {
  const isNext = (name: string) => actions.some(({ action }) => action === name);
  const making = `${asTyped(`captions ${runtimeId} --produce`)} makes them`;
  const hint =
    isNext('approve') && captions.state !== 'never'
      ? `a person approves it (${approving(runtimeId)}), then ${making}`
      : isNext('produce_captions')
        ? making
        : `${captions.text}; ${asTyped(`evidence ${runtimeId}`)} says what can be done`;
  return new NothingYet('the study has no captions yet', hint);
}

const isNothing = (error: unknown): boolean =>
  error instanceof NothingYet || (error instanceof HostError && error.code === 'not_found');

/** Rethrows what a client throws; what says that there is nothing yet, as this, which names the commands. */
export const saidAs =
  (nothing: NothingYet) =>
  (error: unknown): never => {
    throw isNothing(error) ? nothing : error;
  };

/** Rethrows what a client throws; what says that a study has no captions, with what its overview says of them. */
export const saidOfCaptions = (host: Pick<StudyHost, 'overview'>, runtimeId: string) => async (error: unknown) => {
  if (!isNothing(error)) throw error;
  throw noCaptions(await host.overview(runtimeId));
};
