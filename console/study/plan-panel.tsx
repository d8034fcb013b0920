import type { PlanChoices } from '../../client/captions.ts';
import { HostError } from '../../client/host-error.ts';
import type { StudyHost } from '../../client/study-host.ts';
import type { CaptionPlan, CaptionPlanAnswer, CaptionPlanReceipt } from '../../contract/captions/caption-plan.ts';
import type { JournalEvent } from '../../contract/journal.ts';
import type { RuntimeOverview } from '../../contract/overview.ts';
import { addressOf } from '../host/route.ts';
import { useHost } from '../host/session.ts';
import { useRemote } from '../host/use-remote.ts';
import { DoubtfulText } from '../parts/doubtful-text.tsx';
import { Facts } from '../parts/facts.tsx';
import { FeaturePanels } from '../parts/feature-panels.tsx';
import { Remedies } from '../parts/notice.tsx';
import type { Playback } from '../player/playback.ts';
import { waysOf } from '../words/caption-ways.ts';
import { whatWords } from '../words/cause-words.ts';
import { languageName } from '../words/language-name.ts';
import { counted } from '../words/numbers.ts';
import {
  agreementWords,
  comparedWords,
  isChoosable,
  originWords,
  otherTracks,
  otherTrackWords,
  type PlanList,
  type PlanPlace,
  type PlanSide,
  placeTime,
  planLists,
  remarkGroups,
  remarkSentences,
  sidesSpelling,
  timingWords,
  trackName,
} from '../words/plan-words.ts';
import { sentence } from '../words/sentence.ts';
import { linesOf, type StudyContents, studiedFilm } from './study-model.ts';

/** The plan of captions by some choices, with its digest; null if the host refuses to state one. */
async function readPlan(host: StudyHost, runtimeId: string, choices: PlanChoices): Promise<CaptionPlanAnswer | null> {
  try {
    return await host.captions.plan(runtimeId, choices);
  } catch (error) {
    if (error instanceof HostError) return null;
    throw error;
  }
}

/** The plan of captions by some choices, as the host has it now. */
export function usePlan(runtimeId: string, choices: PlanChoices, version: unknown = null) {
  const host = useHost();
  return useRemote(() => readPlan(host, runtimeId, choices), [host, runtimeId, JSON.stringify(choices)], version);
}

/** The choices for the captions of a study: as they are made next, else by its nearest way, whose obstacles a plan states. */
export function choicesOf({ overview, methods, ready }: Planned): PlanChoices {
  if (ready !== null) return linesOf(ready);
  const [nearest] = methods === null ? [] : waysOf(methods, studiedFilm(overview));
  return { method: nearest?.method ?? 'auto' };
}

type Planned = Pick<StudyContents, 'overview' | 'methods' | 'ready'>;

/** The plan of the captions that a study has or would have; null until it has ended, and if they have no lines. */
export function useEndedPlan(study: Planned): CaptionPlan | null {
  const { runtimeId, lifecycle, journalHead } = study.overview;
  const host = useHost();
  const hasEnded = lifecycle === 'terminal';
  const { remote } = useRemote(
    () => (hasEnded ? readPlan(host, runtimeId, choicesOf(study)) : Promise.resolve(null)),
    [host, runtimeId, hasEnded, study.ready],
    journalHead,
  );
  const plan = remote.state === 'ready' ? (remote.value?.plan ?? null) : null;
  // Without any line all speech would be without one.
  return plan === null || plan.lines.count === 0 ? null : plan;
}

/** True for the event of a plan that a person approved. */
export const isPlanRecord = ({ type }: Pick<JournalEvent, 'type'>): boolean => type === 'publish.review.plan_recorded';

/**
 * The plan of an approval, as its journal has it. Null for one without a plan; undefined if this page has not read that far in the
 * journal.
 */
export function approvedPlan(
  events: readonly Pick<JournalEvent, 'type' | 'data'>[],
  journalHead: number,
  reviewId: string,
): CaptionPlan | null | undefined {
  const receipts = events
    .filter(isPlanRecord)
    .map(({ data }) => (data as { readonly receipt: CaptionPlanReceipt }).receipt);
  const receipt = receipts.find(({ input }) => input.approval.reviewId === reviewId);
  return receipt?.plan ?? (events.length < journalHead ? undefined : null);
}

interface PlanPanelProps {
  readonly plan: CaptionPlan;
  /** True if these captions exist, or may be made by this plan alone. */
  readonly isApproved?: boolean;
  readonly overview: RuntimeOverview;
  /** The player that the places lead to; null where they lead to that of the evidence. */
  readonly control: Playback | null;
  /** Chooses another track; null once the lines are approved. */
  readonly onTracks: ((tracks: readonly number[]) => void) | null;
  /** True if another study of the range is the way to captions: Captions has its button. */
  readonly takesStudy?: boolean;
}

/** The plan of captions before a person approves it: the origin of their lines, the missing ones, and remarks. */
export function PlanPanel({
  plan,
  isApproved = false,
  overview,
  control,
  onTracks,
  takesStudy = false,
}: PlanPanelProps) {
  const { study, source, runtimeId } = overview;
  const { sides, lines, translation, compared, obstacles } = plan;
  const spoken = study.sourceLanguage.languages[0] ?? null;
  const isOne = sides.source.origin === 'none' || spoken === study.targetLanguage;
  const spelling = sidesSpelling({ source: isOne ? study.targetLanguage : spoken, target: study.targetLanguage });
  const isObstacle = (code: string): boolean => obstacles.some((each) => each.code === code);
  // An obstacle has the same figures.
  const agreement = isObstacle('sides_disagree') ? null : agreementWords(plan);
  const [remarks, lists] = [remarkGroups(plan), planLists(plan)];
  const tracks = { tracks: plan.asked.tracks, onTracks };
  const origins: readonly (readonly [string, PlanSide, PlanSide | null])[] = [
    [languageName(study.targetLanguage), sides.target, isOne ? null : sides.source],
    ...(isOne ? [] : [[spoken === null ? 'As spoken' : languageName(spoken), sides.source, sides.target] as const]),
  ];
  return (
    <section class="panel caption-plan" aria-labelledby="caption-plan">
      <h2 id="caption-plan">{isApproved ? 'The plan that was approved' : 'What will be written'}</h2>
      <p>
        <strong>{lines.count === 0 ? 'No line can be written.' : counted(lines.count, 'line')}</strong>
        {translation !== null &&
          lines.count > 0 &&
          `, ${counted(translation.lines, 'of them', 'of them')} translated by ${translation.model}`}
        {lines.count > 0 && `. ${comparedWords[compared]}`} {agreement}
      </p>
      {obstacles.length > 0 &&
        (takesStudy ? (
          <p>
            {`${sentence(whatWords(obstacles))}. Captions take another study of this range. `}
            <a href={addressOf({ view: 'study', runtimeId, pane: 'captions' })}>Open Captions</a>
          </p>
        ) : (
          <p class="bad-text">
            {`These captions cannot be made: ${whatWords(obstacles)}. `}
            <Remedies causes={obstacles} sourceSessionId={source.sourceSessionId} />
          </p>
        ))}
      <Facts
        of={origins
          .filter(
            ([, side, beside]) => lines.count > 0 || side.origin !== 'none' || otherTracks(side, beside).length > 0,
          )
          .map(([name, side, beside]) => [name, <SideOrigin side={side} beside={beside} {...tracks} />])}
      />
      {remarks.length + lists.length > 0 && (
        <ul class="plain warnings" aria-label="Before you approve">
          {lists.map((list) => (
            <li key={list.title}>
              <Places of={list} runtimeId={runtimeId} control={control} />
            </li>
          ))}
          {remarks.map((group) => (
            <li key={JSON.stringify(group)}>
              {`${remarkSentences(group, spelling).join(' ')} `}
              <Remedies causes={group.slice(0, 1)} sourceSessionId={source.sourceSessionId} />
            </li>
          ))}
        </ul>
      )}
      {onTracks !== null && <FeaturePanels place="plan" given={{ overview, plan }} />}
    </section>
  );
}

interface SideOriginProps {
  readonly side: PlanSide;
  /** The other side; null without one. */
  readonly beside: PlanSide | null;
  readonly tracks: readonly number[];
  readonly onTracks: PlanPanelProps['onTracks'];
}

/** So many other tracks are in sight where one can be chosen. */
const shownTracks = 4;

/** The origin of the lines of a side, their timing, and the tracks that were not taken. */
function SideOrigin({ side, beside, tracks, onTracks }: SideOriginProps) {
  const chosen = side.choice?.chosen ?? null;
  const others = otherTracks(side, beside);
  const timing = timingWords(side.withSound, 'the speech');
  return (
    <>
      {sentence(originWords(side))}
      {timing !== null && `; ${timing}`}.
      {others.length > 0 && (
        <details open={onTracks !== null && others.some(isChoosable) && others.length <= shownTracks}>
          <summary>{counted(others.length, 'other track')}</summary>
          <ul class="plain lined">
            {others.map((track) => (
              <li key={track.trackIndex}>
                <span class="line-name">{sentence(otherTrackWords(track))}</span>
                {onTracks !== null && isChoosable(track) && (
                  <button
                    type="button"
                    class="small"
                    onClick={() =>
                      onTracks([...tracks.filter((each) => each !== chosen?.trackIndex), track.trackIndex])
                    }
                  >
                    Use it<span class="sr">: {trackName(track)}</span>
                  </button>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** So many places are in sight; the others are folded. */
const shownPlaces = 12;

interface PlacesProps {
  readonly runtimeId: string;
  readonly control: Playback | null;
}

/** A list of a plan: its title, and each place as a link to it. */
function Places({ of: { title, count, places }, ...player }: PlacesProps & { readonly of: PlanList }) {
  const rest = places.slice(shownPlaces);
  return (
    <>
      {title}: <PlaceLinks of={places.slice(0, shownPlaces)} {...player} />
      {rest.length > 0 && (
        <details>
          <summary>{count - shownPlaces} more</summary>
          <PlaceLinks of={rest} {...player} />
        </details>
      )}
    </>
  );
}

const PlaceLinks = ({ of: places, runtimeId, control }: PlacesProps & { readonly of: readonly PlanPlace[] }) => (
  <span class="places" data-texts={places.some(({ text }) => text !== null)}>
    {places.map((place) => (
      <span key={`${place.startMs} ${place.text}`}>
        {control === null ? (
          <a class="mono" href={addressOf({ view: 'study', runtimeId, pane: 'evidence', atMs: place.startMs })}>
            {placeTime(place.startMs)}
          </a>
        ) : (
          <button type="button" class="link mono" onClick={() => control.playOver(place)}>
            <span class="sr">Play</span> {placeTime(place.startMs)}
          </button>
        )}{' '}
        {place.text !== null && (
          <>
            “<DoubtfulText text={place.text} words={place.doubtful ?? []} />”
          </>
        )}{' '}
        {place.why !== null && <span class="quiet">({place.why})</span>}
      </span>
    ))}
  </span>
);
