import type { OverviewPart, RuntimeOverview } from '../../contract/overview.ts';
import { addressOf, type StudyPane } from '../host/route.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { whatWords } from '../words/cause-words.ts';
import { sentence } from '../words/sentence.ts';
import type { Tone } from '../words/tone.ts';

/** The steps after a film is added, in the words of every view. */
export const wayWords = { decision: 'Study', review: 'Approve', captions: 'Captions' } as const;

/** A part of the way from a range to captions. */
interface WayStep {
  readonly name: keyof typeof wayWords;
  readonly pane: StudyPane;
  readonly tone: Tone;
  readonly icon: IconName;
  /** How far it is, in one or two words. */
  readonly state: string;
  /** The text of the host about it. */
  readonly text: string;
  /** True if it is the one to act on or to wait for. */
  readonly isCurrent: boolean;
}

const panes: Readonly<Record<WayStep['name'], StudyPane>> = {
  decision: 'evidence',
  review: 'review',
  captions: 'captions',
};

const looks: Readonly<Record<OverviewPart['state'], readonly [Tone, IconName, string]>> = {
  not_yet: ['quiet', 'circle-dashed', 'to come'],
  never: ['quiet', 'ban', 'not possible'],
  waiting: ['waiting', 'circle-user-round', 'waiting for you'],
  under_way: ['busy', 'loader-circle', 'under way'],
  withheld: ['kept', 'ban', 'withheld'],
  failed: ['bad', 'circle-x', 'failed'],
  done: ['good', 'circle-check', 'done'],
  withdrawn: ['kept', 'undo-2', 'withdrawn'],
};

/** The action at a step that waits for a person. */
const asks: Readonly<Partial<Record<keyof RuntimeOverview, string>>> = {
  review: 'Approve or reject the lines',
  captions: 'Make the captions',
  check: 'Check the captions',
};

/** States in which a step asks for nothing. */
const asksNobody: readonly OverviewPart['state'][] = ['done', 'never'];

/** The part of an overview that a step shows: captions are ready once their check is done. */
function partOf(name: WayStep['name'], overview: RuntimeOverview): 'decision' | 'review' | 'captions' | 'check' {
  const { captions, check } = overview;
  return name === 'captions' && captions.state === 'done' && check.state !== 'done' ? 'check' : name;
}

/** The way of a study: study, approval and captions, each with how far it is. */
export function wayStepsOf(overview: RuntimeOverview): readonly WayStep[] {
  const names = Object.keys(panes) as WayStep['name'][];
  const current = names.find((name) => !asksNobody.includes(overview[partOf(name, overview)].state));
  return names.map((name) => {
    const shown = partOf(name, overview);
    const part = overview[shown];
    const [tone, icon, state] = looks[isLive(name, overview) ? 'under_way' : part.state];
    const isPartial = name === 'captions' && isInPart(overview.check);
    return {
      name,
      pane: panes[name],
      tone: isPartial ? 'warning' : tone,
      icon: isPartial ? 'triangle-alert' : icon,
      state: isPartial ? 'done in part' : isRejected(name, overview) ? 'rejected' : state,
      text: textOf(shown, part),
      isCurrent: name === current,
    };
  });
}

/** The words of steps that are done; the host has others for programs. */
const doneTexts: Readonly<Partial<Record<keyof RuntimeOverview, string>>> = {
  decision: 'All findings are supported',
  captions: 'Ready to download',
};

/** True for the step of a study that has not ended. */
const isLive = (name: WayStep['name'], { decision, lifecycle }: RuntimeOverview): boolean =>
  name === 'decision' && decision.state === 'not_yet' && ['initializing', 'running'].includes(lifecycle);

/** A person rejected the study. A review that a decision withholds has the same state. */
const isRejected = (name: WayStep['name'], { situation }: RuntimeOverview): boolean =>
  name === 'review' && situation.code === 'rejected';

/** True if captions were accepted although some lines lack a text: this is not a plain success. */
export const isInPart = ({ reasonCodes }: Pick<OverviewPart, 'reasonCodes'>): boolean =>
  reasonCodes.includes('current_run_candidate_accepted_in_part');

const textOf = (shown: keyof RuntimeOverview, part: OverviewPart): string =>
  (part.state === 'done' ? doneTexts[shown] : part.state === 'waiting' ? (asks[shown] ?? part.text) : undefined) ??
  stepText(part);

/** The obstacle of a step, or its progress. The remedy is below the steps, whole. */
const stepText = ({ causes, text }: OverviewPart): string => sentence(causes.length === 0 ? text : whatWords(causes));

/** The progress of a study to captions; each step leads to its view. Once all are done they are one line. */
export function Stepper({ overview }: { readonly overview: RuntimeOverview }) {
  const steps = wayStepsOf(overview);
  return (
    <ol class="stepper" data-done={steps.every(({ tone }) => tone === 'good')} aria-label="Steps to captions">
      {steps.map(({ name, pane, tone, icon, state, text, isCurrent }) => (
        <li key={name}>
          <a
            href={addressOf({ view: 'study', runtimeId: overview.runtimeId, pane })}
            data-tone={tone}
            aria-current={isCurrent ? 'step' : undefined}
          >
            <Icon name={icon} />
            <span class="step-name">{wayWords[name]}</span>
            <span class="step-state">{state}</span>
            <span class="step-text" title={text}>
              {text}
            </span>
          </a>
        </li>
      ))}
    </ol>
  );
}
