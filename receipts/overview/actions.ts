import { facetKinds } from '../../contract/explanations/language-explanation-facet.ts';
import type { OverviewAction } from '../../contract/overview/runtime-overview.ts';
import {
  approvalReasons,
  attestations,
  rejectionReasons,
  revocationReasons,
} from '../../contract/review/publish-review.ts';
import { candidateOf } from '../captions/caption-quality-control.ts';
import type { OverviewedRuntime, OverviewParts } from './overviewed-runtime.ts';

type Blank = OverviewAction['fill'][number];

const read = (action: OverviewAction['action'], text: string, path: string): OverviewAction => ({
  action,
  text,
  method: 'GET',
  path,
  body: null,
  fill: [],
});

const write = (
  action: OverviewAction['action'],
  text: string,
  path: string,
  body: Record<string, unknown>,
  fill: Blank[] = [],
): OverviewAction => ({ action, text, method: 'POST', path, body, fill });

/** Only a person says these words; no client fills them in by itself. */
const attested = (statement: string): Blank => ({
  at: '/reviewer/attestation',
  with: `the words "${statement}", given by the reviewer in person`,
});

const oneOf = (at: string, codes: readonly string[]): Blank => ({ at, with: `one or more of ${codes.join(', ')}` });

function reviewActions({ study, host }: OverviewedRuntime, path: string): OverviewAction[] {
  const intake = study?.conclusion?.admission.intake ?? null;
  if (intake === null) return [];
  const reviewer = { id: host.reviewerId, attestation: null };
  const approval = { outcome: 'approve_for_caption_production', reasonCodes: [...approvalReasons], note: null };
  const rejection = { outcome: 'reject_with_reasons', reasonCodes: null, note: null };
  const signed = attested(attestations.decision);
  return [
    write('approve', 'approve the study for captions', path, { intake, reviewer, decision: approval }, [signed]),
    write('reject', 'reject the study with reasons', path, { intake, reviewer, decision: rejection }, [
      signed,
      oneOf('/decision/reasonCodes', rejectionReasons),
    ]),
  ];
}

/** What may be done under an approval that stands. */
function approvedActions({ study, host, base }: OverviewedRuntime, { captions, check, explanations }: OverviewParts) {
  const { authority: approval = null, captions: made } = study?.tail ?? {};
  if (approval === null) return [];
  const reviewer = { id: host.reviewerId, attestation: null };
  const revocation = { reasonCodes: null, note: null };
  const actions: OverviewAction[] = [];
  if (captions.state === 'waiting') {
    actions.push(write('produce_captions', 'have captions made', captions.path, { approval }));
  }
  const reference = made?.caption?.reference ?? null;
  if (reference !== null && check.state === 'waiting') {
    const candidate = candidateOf(reference);
    actions.push(write('check_captions', 'have the captions checked', check.path, { candidate }));
  }
  if (reference !== null && check.state === 'done') {
    const file = `${base}/caption-productions/${reference.jobId}.vtt?side=target`;
    actions.push(read('read_captions', 'read the captions as WebVTT', file));
  }
  if (reference !== null && host.explains) {
    const body = { caption: reference, lineId: null, selection: null, facetKinds: null };
    const fill = [
      { at: '/lineId', with: 'the id of a line of the captions' },
      { at: '/selection', with: 'side, unit (unicode_code_point), start, end and text of the words' },
      oneOf('/facetKinds', facetKinds),
    ];
    actions.push(write('explain', 'have words of a line explained', explanations.path, body, fill));
  }
  actions.push(
    write('revoke', 'withdraw the approval', `${base}/publish-review-revocations`, { approval, reviewer, revocation }, [
      attested(attestations.revocation),
      oneOf('/revocation/reasonCodes', revocationReasons),
    ]),
  );
  return actions;
}

/** The same study once more: the request that was sent, under another name. */
function studyAgain({ runtime }: OverviewedRuntime): OverviewAction {
  const { analysisRequest } = runtime.accepted.record;
  const { sourceSessionId, sourceRevisionId, range, language, outputDepth, options } = analysisRequest;
  const body = {
    sourceSessionId,
    sourceRevisionId,
    range,
    requestedSourceLanguage: language.languagePair.requestedSource,
    targetLanguage: language.languagePair.targetLanguage,
    selectedLanguagePackId: language.selectedLanguagePackId,
    outputDepth,
    options,
    clientRequestId: null,
  };
  const fill = [{ at: '/clientRequestId', with: 'a new name for this attempt' }];
  return write('study_again', 'study the same range once more', '/v1/runtime-starts', body, fill);
}

/** What may be done next, as requests, the next step first. */
export function actionsOf(overviewed: OverviewedRuntime, parts: OverviewParts): OverviewAction[] {
  const { hasEnded, runtime, base, host } = overviewed;
  if (!hasEnded) {
    const events = `${base}/events?after=${runtime.journalHead}&wait=8000`;
    return [read('follow', 'wait for the next event', events)];
  }
  return [
    ...(parts.review.state === 'waiting' ? reviewActions(overviewed, parts.review.path) : []),
    ...approvedActions(overviewed, parts),
    ...(host.sourceIsCurrent ? [studyAgain(overviewed)] : []),
  ];
}
