import { z } from 'zod';
import { contentId, identity, positive } from '../base/grammar.ts';
import { derivedStatement } from './derived-subtitles.ts';
import { sourceSessionRow } from './source-session.ts';
import { subtitleTrack } from './subtitle-track.ts';

// A text track that the program makes of other text is proposed first, and attached once a person attests the proposal.

/** The proposal that a person has seen, and what they attest: a part of the query that attaches it. */
export const attestedProposal = {
  digest: contentId.describe('the `digest` of the proposal that the person has seen'),
  reviewerId: identity.describe('the reviewer of the host'),
  attestation: z.literal(derivedStatement).describe('the text that the reviewer attests, word for word'),
};

/** The source in the revision that has the track, the track, and the bytes of its file: a part of the answer. */
export const attachedTrack = {
  source: sourceSessionRow,
  track: subtitleTrack,
  file: z.strictObject({ contentId, bytes: positive, base64: z.base64() }),
};
