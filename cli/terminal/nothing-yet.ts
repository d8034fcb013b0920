import { HostError, NothingYet } from '../../client/host-error.ts';

const approving = (runtimeId: string) => `media-study review approve ${runtimeId}`;

/** No approval of a study stands. */
export const noApproval = (runtimeId: string): NothingYet =>
  new NothingYet('no approval of this study stands', `a person has to approve it (${approving(runtimeId)})`);

/** A study has no captions. */
export const noCaptions = (runtimeId: string): NothingYet =>
  new NothingYet(
    'the study has no captions yet',
    `a person approves it (${approving(runtimeId)}), then media-study captions ${runtimeId} --produce makes them`,
  );

/** Rethrows what a client throws; what says that there is nothing yet, as this, which names the commands. */
export const saidAs =
  (nothing: NothingYet) =>
  (error: unknown): never => {
    const isNothing = error instanceof NothingYet || (error instanceof HostError && error.code === 'not_found');
    throw isNothing ? nothing : error;
  };
