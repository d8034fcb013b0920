import type { RuntimeOverview, SituationCode } from '../../contract/overview/runtime-overview.ts';
import type { Lifecycle } from '../../contract/study/runtime-status.ts';
import type { OverviewedRuntime, OverviewParts } from './overviewed-runtime.ts';

type Situation = RuntimeOverview['situation'];

const before: Readonly<Record<Exclude<Lifecycle, 'terminal'>, SituationCode>> = {
  accepted: 'waiting_for_a_worker',
  initializing: 'opening',
  running: 'studying',
  failed: 'failed',
  interrupted: 'interrupted',
};

const steps: Readonly<Record<string, string>> = {
  initialize: 'measuring sound and picture',
  detect: 'reading subtitles',
  subtitles: 'reading the evidence',
  read: 'assessing what was read',
  assess: 'deciding',
  decide: 'writing the study down',
};

function studyText({ lifecycle, standing, study }: OverviewedRuntime): string {
  if (lifecycle === 'accepted') return 'waiting for a free worker';
  if (lifecycle === 'initializing') return 'opening the source';
  if (lifecycle === 'running' && standing.waitsFor !== null) return standing.waitsFor;
  if (lifecycle === 'running') return `studying: ${steps[study?.progress.done ?? 'initialize'] ?? 'ending'}`;
  const { code, message } = study?.stop?.reason ??
    standing.reason ?? { code: lifecycle, message: 'no reason is stored' };
  return `${lifecycle}: ${code}: ${message}`;
}

function approvedSituation({ captions, check }: OverviewParts): Situation {
  if (captions.state === 'under_way') return { code: 'producing_captions', text: `making captions: ${captions.text}` };
  if (captions.state === 'failed') return { code: 'captions_failed', text: `no captions: ${captions.text}` };
  if (check.state === 'waiting') return { code: 'waiting_for_check', text: 'captions made; not checked yet' };
  if (check.state === 'withheld') return { code: 'captions_withheld', text: `captions ${check.text}` };
  if (check.state === 'done') return { code: 'captions_accepted', text: `captions accepted: ${captions.text}` };
  return { code: 'approved', text: `approved: ${captions.text}` };
}

/** Where a runtime stands, as a code and in plain words. */
export function situationOf(overviewed: OverviewedRuntime, parts: OverviewParts): Situation {
  const { lifecycle, standing } = overviewed;
  if (lifecycle !== 'terminal') {
    const isWaiting = lifecycle === 'running' && standing.waitsFor !== null;
    const code = isWaiting ? 'waiting_for_a_worker' : before[lifecycle];
    return { code, text: studyText(overviewed) };
  }
  const { state, text } = parts.review;
  const { deciding = null, review = null } = overviewed.study?.tail ?? {};
  switch (state) {
    case 'waiting':
      return { code: 'waiting_for_review', text };
    case 'withheld':
      return { code: review === null ? 'withheld_from_review' : 'rejected', text };
    case 'withdrawn':
      return { code: 'approval_withdrawn', text };
    case 'under_way':
      return { code: deciding === null ? 'withdrawing_approval' : 'recording_review', text };
    default:
      return approvedSituation(parts);
  }
}
