import { useRef, useState } from 'preact/hooks';
import { addressOf } from '../../../console/host/route.ts';
import { useHost } from '../../../console/host/session.ts';
import { useRemote } from '../../../console/host/use-remote.ts';
import { RemotePart } from '../../../console/parts/notice.tsx';
import { useWidth } from '../../../console/parts/window-list.tsx';
import { Wave } from '../../../console/pictures/wave.tsx';
import { SignDialog } from '../../../console/study/sign-dialog.tsx';
import { counted, mediaTime } from '../../../console/words/numbers.ts';
import { verdictWords } from '../../../contract/captions/stretch-words.ts';
import type { RuntimeOverview } from '../../../contract/overview.ts';
import type { SubtitleFix, SubtitleFixProposal } from '../../../contract/sources/subtitle-fix.ts';

type Cue = readonly [startMs: number, endMs: number];

/** The cues as they will be: each by the last stretch that begins no later. Those in sync, and unknown ones, stay. */
function movedCues({ cues, stretches }: SubtitleFixProposal): readonly Cue[] {
  return cues.map(([startMs, endMs]): Cue => {
    const stretch = stretches.findLast((each) => each.startMs <= startMs) ?? stretches[0];
    if (stretch === undefined || stretch.verdict === 'unknown' || stretch.verdict === 'in_sync')
      return [startMs, endMs];
    const { numerator, denominator, offsetMs } = stretch;
    const at = (ms: number): number => Math.max(0, Math.round((ms * numerator) / denominator) + offsetMs);
    return [at(startMs), at(endMs)];
  });
}

/** So much of the film is in sight. */
const shownMs = 60_000;
const waveHeight = 64;

/** The sound with the cues as they are above it, and as they will be below it. */
function BeforeAndAfter({ proposal }: { readonly proposal: SubtitleFixProposal }) {
  const host = useHost();
  const { runtimeId, range, cues, stretches } = proposal;
  const { remote } = useRemote(() => host.evidenceObjects.waveform(runtimeId), [host, runtimeId]);
  const off = stretches.find(({ verdict }) => verdict !== 'in_sync' && verdict !== 'unknown');
  const latest = Math.max(range.startMs, range.endMs - shownMs);
  const first = Math.min(latest, Math.max(range.startMs, (off?.startMs ?? range.startMs) - 5000));
  const [startMs, setStart] = useState(first);
  const rows = useRef<HTMLDivElement>(null);
  const width = useWidth(rows);
  const view = { startMs, endMs: Math.min(startMs + shownMs, range.endMs) };
  const row = (of: readonly Cue[], name: string) => (
    <div class="cue-row" data-row={name}>
      <span class="cue-row-name">{name}</span>
      {of
        .filter(([from, to]) => to > view.startMs && from < view.endMs)
        .map(([from, to]) => {
          const percent = (ms: number): number =>
            Math.min(100, Math.max(0, (100 * (ms - view.startMs)) / (view.endMs - view.startMs)));
          return <i key={from} style={{ left: `${percent(from)}%`, width: `${percent(to) - percent(from)}%` }} />;
        })}
    </div>
  );
  const wave = remote.state === 'ready' ? remote.value : null;
  return (
    <div class="cue-rows" ref={rows}>
      {row(cues, 'Now')}
      {wave !== null && width > 0 && <Wave waveform={wave} view={view} width={width} height={waveHeight} />}
      {row(movedCues(proposal), 'Moved')}
      <label>
        {`${mediaTime(view.startMs)} to ${mediaTime(view.endMs)}`}
        <input
          type="range"
          min={range.startMs}
          max={latest}
          step={1000}
          value={startMs}
          onInput={({ currentTarget }) => setStart(Number(currentTarget.value))}
        />
      </label>
    </div>
  );
}

/** What was done, and the way to captions with it. */
const Done = ({ trackIndex, sourceSessionId }: { readonly trackIndex: number; readonly sourceSessionId: string }) => (
  <p role="status">
    {`The moved subtitles are track ${trackIndex} of this film. The captions of another study take them. `}
    <a href={addressOf({ view: 'new-study', sourceSessionId })}>Study the film again</a>
  </p>
);

interface MovedSubtitlesProps {
  readonly overview: RuntimeOverview;
  /** The text track that is off. */
  readonly track: number;
}

/** A text track that is off the speech: the verdict for each stretch, its cues before and after, and the button that moves it. */
export function MovedSubtitles({ overview, track }: MovedSubtitlesProps) {
  const host = useHost();
  const { runtimeId } = overview;
  const { remote, reload } = useRemote(() => host.subtitles.proposeFix(runtimeId, { track }), [host, runtimeId, track]);
  const [fix, setFix] = useState<SubtitleFix | null>(null);
  return (
    <RemotePart of={remote} what="the times of the subtitles" onRetry={reload}>
      {(proposal) => {
        const { digest, stretches, moved, early, unknown, reviewer, sourceSessionId } = proposal;
        const doneAs = fix?.track.trackIndex ?? proposal.attachedAs;
        if (digest === null) return null;
        return (
          <section class="moved-subtitles" aria-label={`The times of track ${track}`}>
            <h3>{`Track ${track} against the speech`}</h3>
            <ul class="plain">
              {stretches.map((stretch) => (
                <li key={stretch.cues.from}>
                  {`Cues ${stretch.cues.from} to ${stretch.cues.to}, ${mediaTime(stretch.startMs)} to ${mediaTime(stretch.endMs)}: `}
                  <strong>{verdictWords(stretch)}</strong>
                </li>
              ))}
            </ul>
            <BeforeAndAfter proposal={proposal} />
            {doneAs === null ? (
              <>
                <p>
                  {`${counted(moved, 'cue')} would get other times. Text, styles and order stay, and so does this track.`}
                  {unknown > 0 && ` ${counted(unknown, 'cue')} of which nothing is known would keep their times.`}
                  {early > 0 && ` ${counted(early, 'cue')} would begin with the film.`}
                </p>
                <SignDialog
                  reviewer={reviewer}
                  statement={reviewer.attestation}
                  button="Move the subtitles"
                  isReady
                  onSigned={async (by) => setFix(await host.subtitles.fix(runtimeId, { track }, { digest, ...by }))}
                />
              </>
            ) : (
              <Done trackIndex={doneAs} sourceSessionId={sourceSessionId} />
            )}
          </section>
        );
      }}
    </RemotePart>
  );
}
