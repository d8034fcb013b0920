import type { WorkStage } from '../../../contract/operation.ts';
import type { RuntimeOverview } from '../../../contract/overview.ts';
import { isInPart, withoutFailureCode } from '../words/codes.ts';
import { stageWords } from '../words/progress.ts';

/** How each situation looks; the words come from the host. */
const states: Readonly<Record<string, string>> = {
  waiting_for_a_worker: 'waiting',
  opening: 'running',
  studying: 'running',
  failed: 'failed',
  interrupted: 'interrupted',
  withheld_from_review: 'withheld',
  waiting_for_review: 'waiting',
  rejected: 'withheld',
  approval_withdrawn: 'withdrawn',
  producing_captions: 'running',
  captions_failed: 'failed',
  waiting_for_check: 'waiting',
  captions_withheld: 'withheld',
  approved: 'done',
  captions_accepted: 'done',
};

const liveCodes: readonly string[] = ['waiting_for_a_worker', 'opening', 'studying'];

interface Standing {
  readonly state: string;
  readonly words: string;
}

/** Where a study stands. `stage` is what the stream says that it does; the overview is as old as the last event. */
export function standingOf(overview: RuntimeOverview, stage: WorkStage | null): Standing {
  const { situation, lifecycle, check, study } = overview;
  const said = {
    state: isInPart(check) ? 'withheld' : (states[situation.code] ?? lifecycle),
    words: withoutFailureCode(situation.text, study.reason?.code),
  };
  if (stage === null || stage === 'ended' || !liveCodes.includes(situation.code)) return said;
  if (stage === 'queued') {
    return situation.code === 'waiting_for_a_worker' ? said : { state: 'waiting', words: stageWords.queued };
  }
  return { state: 'running', words: stage === 'initialize' ? stageWords[stage] : `studying: ${stageWords[stage]}` };
}
