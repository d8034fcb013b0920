import type { CaptionPlan } from '../../contract/captions/caption-plan.ts';
import type { RuntimeOverview } from '../../contract/overview.ts';
import { Facts } from '../parts/facts.tsx';
import { Icon } from '../parts/icon.tsx';
import { Remedies } from '../parts/notice.tsx';
import type { Playback } from '../player/playback.ts';
import { pageText, whatWords } from '../words/cause-words.ts';
import { languageName } from '../words/language-name.ts';
import { counted } from '../words/numbers.ts';
import {
  agreementWords,
  comparedWords,
  originWords,
  otherTrackWords,
  type PlanList,
  type PlanPlace,
  type PlanSide,
  placeTime,
  plainRemarks,
  planLists,
  timingWords,
  trackName,
} from '../words/plan-words.ts';
import { sentence } from '../words/sentence.ts';

interface PlanPanelProps {
  readonly plan: CaptionPlan;
  readonly overview: RuntimeOverview;
  /** The player that the places lead to; null where none is shown. */
  readonly control: Playback | null;
  /** Chooses another track; null once the lines are approved. */
  readonly onTracks: ((tracks: readonly number[]) => void) | null;
}

/** What captions will be made of, before a person approves it: where lines come from, what is missing, and what is remarkable. */
export function PlanPanel({ plan, overview, control, onTracks }: PlanPanelProps) {
  const { study, source } = overview;
  const { sides, lines, translation, compared, obstacles } = plan;
  const spoken = study.sourceLanguage.languages[0] ?? null;
  const isOne = sides.source.origin === 'none' || spoken === study.targetLanguage;
  const agreement = agreementWords(plan);
  const remarks = plainRemarks(plan);
  return (
    <section class="panel caption-plan" aria-labelledby="caption-plan">
      <h2 id="caption-plan">What will be written</h2>
      <p>
        <strong>{counted(lines.count, 'line')}</strong>
        {translation !== null &&
          `, ${counted(translation.lines, 'of them', 'of them')} translated by ${translation.model}`}
        . {comparedWords[compared]} {agreement}
      </p>
      <Facts
        of={[
          [
            languageName(study.targetLanguage),
            <SideOrigin side={sides.target} onTracks={onTracks} tracks={plan.asked.tracks} />,
          ],
          ...(isOne
            ? []
            : [
                [
                  spoken === null ? 'As spoken' : languageName(spoken),
                  <SideOrigin side={sides.source} onTracks={onTracks} tracks={plan.asked.tracks} />,
                ] as const,
              ]),
        ]}
      />
      {(remarks.length > 0 || planLists(plan).length > 0) && (
        <ul class="plain warnings" aria-label="Before you approve">
          {planLists(plan).map((list) => (
            <li key={list.title}>
              <Places of={list} control={control} />
            </li>
          ))}
          {remarks.map((remark) => (
            <li key={JSON.stringify(remark)}>
              {`${sentence(pageText(remark).what)}.`}{' '}
              <Remedies causes={[remark]} sourceSessionId={source.sourceSessionId} />
            </li>
          ))}
        </ul>
      )}
      {obstacles.length > 0 && (
        <p class="bad-text">
          {`These captions cannot be made: ${whatWords(obstacles)}. `}
          <Remedies causes={obstacles} sourceSessionId={source.sourceSessionId} />
        </p>
      )}
    </section>
  );
}

interface SideOriginProps {
  readonly side: PlanSide;
  readonly tracks: readonly number[];
  readonly onTracks: PlanPanelProps['onTracks'];
}

/** Where the lines of a side come from, how they lie, and the tracks that were not taken. */
function SideOrigin({ side, tracks, onTracks }: SideOriginProps) {
  const { chosen, others } = side.choice;
  const timing = side.withSound === null ? null : timingWords(side.withSound, 'the speech');
  return (
    <>
      {sentence(originWords(side))}
      {timing !== null && `; ${timing}`}.
      {others.length > 0 && (
        <details>
          <summary>{counted(others.length, 'other track')}</summary>
          <ul class="plain lined">
            {others.map((track) => (
              <li key={track.trackIndex}>
                <span class="line-name">{sentence(otherTrackWords(track))}</span>
                {onTracks !== null && (
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

/** A list of a plan: its title, and each place as a link to it. */
function Places({
  of: { title, count, places },
  control,
}: {
  readonly of: PlanList;
  readonly control: Playback | null;
}) {
  const rest = places.slice(shownPlaces);
  return (
    <>
      {title}: <PlaceLinks of={places.slice(0, shownPlaces)} control={control} />
      {rest.length > 0 && (
        <details>
          <summary>{count - shownPlaces} more</summary>
          <PlaceLinks of={rest} control={control} />
        </details>
      )}
    </>
  );
}

interface PlaceLinksProps {
  readonly of: readonly PlanPlace[];
  readonly control: Playback | null;
}

const PlaceLinks = ({ of: places, control }: PlaceLinksProps) => (
  <span class="places" data-texts={places.some(({ text }) => text !== null)}>
    {places.map((place) => (
      <span key={`${place.startMs} ${place.text}`}>
        <button type="button" class="link mono" disabled={control === null} onClick={() => control?.playOver(place)}>
          <Icon name="play" />
          {placeTime(place.startMs)}
        </button>{' '}
        {place.text !== null && `“${place.text}”`} {place.why !== null && <span class="quiet">({place.why})</span>}
      </span>
    ))}
  </span>
);
