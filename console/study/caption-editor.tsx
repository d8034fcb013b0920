import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { HostError } from '../../client/host-error.ts';
import type { Attested } from '../../client/reviews.ts';
import { longestNote } from '../../contract/base/longest-note.ts';
import type { CaptionCorrectionPreview, CaptionCorrections } from '../../contract/captions/correction.ts';
import { presentBreaks } from '../../contract/captions/line-breaks.ts';
import type { RuntimeOverview } from '../../contract/overview.ts';
import type { Selected } from '../host/page-feature.ts';
import { useHost } from '../host/session.ts';
import { useAction, useStore } from '../host/use-remote.ts';
import { FeaturePanels } from '../parts/feature-panels.tsx';
import { CountedField, excessOf, TimeField } from '../parts/field.tsx';
import { Icon, IconButton } from '../parts/icon.tsx';
import { Failed, Notice } from '../parts/notice.tsx';
import { useWidth, WindowList } from '../parts/window-list.tsx';
import { isTyping, KeysHelp, type KeyWords } from '../player/keys-help.tsx';
import { type Playback, playback, playerKeys } from '../player/playback.ts';
import { Player } from '../player/player.tsx';
import { pageReason } from '../words/cause-words.ts';
import { languageName } from '../words/language-name.ts';
import { clockTime, counted } from '../words/numbers.ts';
import { sentence } from '../words/sentence.ts';
import {
  type CaptionDraft,
  discardDraft,
  droppedLines,
  type EditedLine,
  editedLines,
  lineAtTime,
  lineMarks,
  merged,
  obstacleOf,
  readingSpeed,
  retimed,
  reworded,
  type Side,
  split,
} from './caption-draft.ts';
import { CaptionWaveform } from './caption-waveform.tsx';
import { captionsName, saveCaptions } from './exports-pane.tsx';
import { currentFindings, findingsByLine, type GuidelineNote, SideFindings } from './guidelines.tsx';
import { SignDialog } from './sign-dialog.tsx';

/** Keys of the editor, as Subtitle Edit has them. */
const editorKeys: KeyWords = [
  ['↑ ↓, Enter', 'in the list: choose a line, edit its text'],
  ['Esc', 'in a text: back to the list'],
  ['Shift Enter, Alt ↓', 'next line'],
  ['Alt ↑', 'line before'],
  ['F5', 'play the line'],
  ['F6', 'go to the start of the line'],
  ['F8', 'next line with a finding'],
  ['F9', 'add a line where the player is, or in the next gap'],
  ['F10', 'end the line where the player is, and go to the next'],
  ['F11', 'start the line where the player is'],
  ['F12', 'end the line where the player is'],
  ['Ctrl Alt V', 'split at the cursor'],
  ['Ctrl Shift M', 'merge with the next line'],
  ['Delete', 'drop the line, outside of a text'],
  ['Ctrl Z, Ctrl Y', 'undo, redo'],
  ['Ctrl S', 'save'],
];

const previewPauseMs = 500;

interface Preview {
  /** The lines that were measured: findings of older ones are not shown beside newer texts. */
  readonly of: readonly EditedLine[];
  readonly answer: CaptionCorrectionPreview;
}

/** The results of the check and the guidelines for a draft, read when a person pauses. A save may change the head, so it waits for that. */
function usePreview(corrections: CaptionCorrections, draft: CaptionDraft, isSaving: boolean): Preview | null {
  const { runtimeId, head, obstacle } = corrections;
  const host = useHost();
  const lines = useStore(draft.store, (context) => context.lines);
  const [preview, setPreview] = useState<Preview | null>(null);
  useEffect(() => {
    // Of lines that cannot be corrected now the host has no preview.
    const isFixed = obstacle?.code === 'illegal_caption_correction';
    if (isFixed || isSaving || head === null || obstacleOf(lines) !== null) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const { signal } = stop;
      host.captions
        .correctionPreview(runtimeId, { head, changes: draft.changes(), lines: presentBreaks }, { signal })
        .then(
          (answer) => !signal.aborted && setPreview({ of: lines, answer }),
          // A draft that the host refuses has no findings; saving it says why.
          () => undefined,
        );
    }, previewPauseMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [host, runtimeId, head, obstacle?.code, lines, isSaving]);
  return preview;
}

/** The panel for saving: closed, open, or open with a download behind it. */
type Saving = 'no' | 'yes' | 'for_download';

interface CaptionEditorProps {
  readonly overview: RuntimeOverview;
  readonly corrections: CaptionCorrections;
  /** Times of hard cuts of the picture, in ms. */
  readonly cutsMs: readonly number[];
  readonly onSaved: (corrections: CaptionCorrections) => Promise<void>;
  readonly onReload: () => void;
}

/** Captions as a person edits them: the film with its sound at the left, the lines and the chosen one at the right. */
export function CaptionEditor({ overview, corrections: newest, cutsMs, onSaved, onReload }: CaptionEditorProps) {
  const { runtimeId, range, obstacle, head } = newest;
  const languages = newest.languages ?? { source: 'und', target: 'und' };
  const control = useMemo(() => playback(range.startMs), [runtimeId]);
  const [turn, setTurn] = useState(0);
  const { draft, corrections: edited } = useMemo(
    () => editedLines(newest, control.store.getSnapshot().context.timeMs),
    [runtimeId, head?.base, head?.correction, turn],
  );
  const isOvertaken = edited.head?.base !== head?.base || edited.head?.correction !== head?.correction;
  const corrections = isOvertaken ? edited : newest;
  const beginAgain = () => {
    discardDraft(newest);
    setTurn(turn + 1);
  };
  const lines = useStore(draft.store, (context) => context.lines);
  const [saving, setSaving] = useState<Saving>('no');
  const isSaving = saving !== 'no';
  const host = useHost();
  const { action: downloading, run: runDownload } = useAction();
  const download = () => runDownload(() => saveCaptions(host, overview));
  const preview = usePreview(corrections, draft, isSaving || isOvertaken);
  const measured = useMemo(
    () => (preview === null ? null : findingsByLine(preview.of, preview.answer, draft.shown)),
    [preview],
  );
  const findings = useMemo(
    () => currentFindings(lines, preview?.of ?? [], measured ?? new Map<string, readonly GuidelineNote[]>()),
    [lines, preview, measured],
  );
  const cursor = useRef<{ readonly side: Side; readonly at: number } | null>(null);
  const isLocked = obstacle !== null || isOvertaken;
  const actions = editorActions({ draft, control, range, cursor, findings, isLocked, onSave: () => setSaving('yes') });
  useEditorKeys(actions);
  useFollow(draft, control);
  const textAt = (timeMs: number, side: Side): string | null => {
    const line = lineAtTime(lines, timeMs);
    return line !== null && timeMs < line.endMs ? line[side] : null;
  };
  return (
    <div class="caption-editor">
      <Toolbar
        overview={overview}
        draft={draft}
        actions={actions}
        isLocked={isLocked}
        isDownloading={downloading.state === 'busy'}
        onDownload={() => {
          // A file has the lines that the host has: what is not saved is saved first.
          if (draft.changes().length > 0) setSaving('for_download');
          else download();
        }}
      />
      {downloading.state === 'failed' && <Failed error={downloading.error} />}
      {obstacle !== null && (
        <Notice kind="unavailable" title="These lines cannot be edited now">
          {sentence(obstacle.message)}
        </Notice>
      )}
      {isOvertaken && (
        <Notice kind="not-yet" title="Your unsaved changes are based on older lines">
          <p>Another person changed a line that you also changed. Copy what you need from your lines.</p>
          <button type="button" onClick={beginAgain}>
            Read the new lines and discard mine
          </button>
        </Notice>
      )}
      {isSaving && (
        <SavePanel
          corrections={corrections}
          draft={draft}
          isForDownload={saving === 'for_download'}
          onClose={() => setSaving('no')}
          onReload={() => {
            setSaving('no');
            beginAgain();
            onReload();
          }}
          onSaved={async (answer) => {
            discardDraft(corrections);
            setSaving('no');
            await onSaved(answer);
            if (saving === 'for_download') download();
          }}
        />
      )}
      <div class="caption-workspace">
        <div class="caption-film">
          <Player runtimeId={runtimeId} control={control} hasCaptions={false} edited={{ languages, textAt }} />
          <CaptionWaveform
            runtimeId={runtimeId}
            draft={draft}
            control={control}
            range={range}
            cutsMs={cutsMs}
            isLocked={isLocked}
          />
        </div>
        <div class="caption-side">
          <Lines draft={draft} control={control} languages={languages} findings={findings} corrections={corrections} />
          <LineForm
            draft={draft}
            actions={actions}
            corrections={corrections}
            overview={overview}
            findings={findings}
            cursor={cursor}
            isLocked={isLocked}
          />
        </div>
      </div>
    </div>
  );
}

type Findings = ReadonlyMap<string, readonly GuidelineNote[]>;

interface EditorActionsOptions {
  readonly draft: CaptionDraft;
  readonly control: Playback;
  readonly range: { readonly startMs: number; readonly endMs: number };
  readonly cursor: { current: { readonly side: Side; readonly at: number } | null };
  readonly findings: Findings;
  readonly isLocked: boolean;
  readonly onSave: () => void;
}

type EditorActions = ReturnType<typeof editorActions>;

/** The actions of buttons and keys on the selected line. */
function editorActions({ draft, control, range, cursor, findings, isLocked, onSave }: EditorActionsOptions) {
  const now = () => draft.store.getSnapshot().context;
  const timeMs = () => Math.round(control.store.getSnapshot().context.timeMs);
  const line = () => now().lines.find(({ key }) => key === now().selected) ?? null;
  const go = (to: EditedLine | undefined) => {
    if (to === undefined) return;
    draft.select(to.key);
    control.seek(to.startMs);
  };
  const by = (steps: number) => () => {
    const at = now().lines.findIndex(({ key }) => key === now().selected);
    go(now().lines[at + steps]);
  };
  const withLine = (act: (line: EditedLine) => void) => () => {
    const own = line();
    if (own !== null) act(own);
  };
  const change = (act: (line: EditedLine) => void) => (isLocked ? () => undefined : withLine(act));
  const end = change((own) =>
    draft.edit((lines) => retimed(lines, own.key, { startMs: own.startMs, endMs: timeMs() }, range)),
  );
  return {
    next: by(1),
    previous: by(-1),
    play: withLine((own) => control.playOver(own)),
    goToStart: withLine((own) => control.seek(own.startMs)),
    nextFinding: () => {
      const at = now().lines.findIndex(({ key }) => key === now().selected);
      const has = ({ key }: EditedLine) => (findings.get(key)?.length ?? 0) > 0;
      go(
        now()
          .lines.slice(at + 1)
          .find(has) ?? now().lines.find(has),
      );
    },
    start: change((own) =>
      draft.edit((lines) => retimed(lines, own.key, { startMs: timeMs(), endMs: own.endMs }, range)),
    ),
    end,
    endAndNext: () => {
      end();
      by(1)();
    },
    time: (own: EditedLine, times: { readonly startMs: number; readonly endMs: number }) =>
      draft.edit((lines) => retimed(lines, own.key, times, range)),
    split: change((own) => draft.edit((lines) => split(lines, own.key, { cursor: cursor.current, timeMs: timeMs() }))),
    merge: change((own) => draft.edit((lines) => merged(lines, own.key))),
    add: () => {
      if (isLocked || !draft.add(timeMs(), range)) return;
      const own = line();
      if (own !== null && (timeMs() < own.startMs || timeMs() >= own.endMs)) control.seek(own.startMs);
      // The next thing that a person does is to write its text.
      requestAnimationFrame(() => document.querySelector<HTMLElement>('.line-text[data-side="target"]')?.focus());
    },
    drop: change((own) => draft.edit((lines) => droppedLines(lines, own.key))),
    undo: draft.undo,
    redo: draft.redo,
    save: () => {
      if (!isLocked && draft.changes().length > 0) onSave();
    },
  };
}

const plainKeys = {
  F5: 'play',
  F6: 'goToStart',
  F8: 'nextFinding',
  F9: 'add',
  F10: 'endAndNext',
  F11: 'start',
  F12: 'end',
} as const;

/** The action that a key means, as in Subtitle Edit; undefined for any other key. */
export function keyAction(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>,
  isInText: boolean,
): Exclude<keyof EditorActions, 'time'> | undefined {
  const { key, shiftKey, altKey } = event;
  const isControl = event.ctrlKey || event.metaKey;
  const letter = key.toLowerCase();
  if (isControl && altKey) return letter === 'v' ? 'split' : undefined;
  if (isControl && shiftKey) return letter === 'm' ? 'merge' : letter === 'z' ? 'redo' : undefined;
  if (isControl) return ({ z: 'undo', y: 'redo', s: 'save' } as const)[letter];
  if (altKey) return ({ ArrowDown: 'next', ArrowUp: 'previous' } as const)[key];
  if (shiftKey) return key === 'Enter' ? 'next' : undefined;
  if (key === 'Delete') return isInText ? undefined : 'drop';
  return plainKeys[key as keyof typeof plainKeys];
}

function useEditorKeys(actions: EditorActions): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.target instanceof HTMLElement && event.target.closest('dialog, .sign-dialog') !== null) return;
      const action = keyAction(event, isTyping(event.target));
      if (action === undefined) return;
      event.preventDefault();
      latest.current[action]();
    };
    addEventListener('keydown', press, true);
    return () => removeEventListener('keydown', press, true);
  }, []);
}

/** While the player plays, the line at its time is selected, unless a person is typing. */
function useFollow(draft: CaptionDraft, control: Playback): void {
  useEffect(() => {
    const { unsubscribe } = control.store.subscribe(() => {
      const { timeMs, speed, untilMs } = control.store.getSnapshot().context;
      if (speed === 0 || untilMs !== null || isTyping(document.activeElement)) return;
      const { lines, selected } = draft.store.getSnapshot().context;
      const line = lineAtTime(lines, timeMs);
      if (line !== null && line.key !== selected) draft.select(line.key);
    });
    return unsubscribe;
  }, [draft, control]);
}

interface ToolbarProps {
  readonly overview: RuntimeOverview;
  readonly draft: CaptionDraft;
  readonly actions: EditorActions;
  readonly isLocked: boolean;
  readonly isDownloading: boolean;
  readonly onDownload: () => void;
}

function Toolbar({ overview, draft, actions, isLocked, isDownloading, onDownload }: ToolbarProps) {
  const { lines, past, future } = useStore(draft.store, (context) => context);
  const changes = useMemo(() => draft.changes().length, [draft, lines]);
  const isDone = overview.situation.code === 'captions_accepted';
  return (
    <div class="caption-bar">
      {isDone && (
        <>
          <button
            type="button"
            class={changes === 0 ? 'primary' : ''}
            disabled={isDownloading || (changes > 0 && isLocked)}
            onClick={onDownload}
          >
            <Icon name="download" />
            {changes === 0 ? 'Download SRT' : 'Save and download…'}
          </button>
          <details class="mux">
            <summary>Put them into the film</summary>
            <p>Download the SRT beside the film, then run:</p>
            <pre class="event-json" tabIndex={0}>
              {muxCommand(overview)}
            </pre>
          </details>
        </>
      )}
      <span class="caption-tools" role="group" aria-label="Edit">
        <IconButton icon="undo-2" label="Undo (Ctrl Z)" isDisabled={past.length === 0} onClick={actions.undo} />
        <IconButton icon="redo-2" label="Redo (Ctrl Y)" isDisabled={future.length === 0} onClick={actions.redo} />
        <IconButton icon="plus" label="Add a line at the player (F9)" isDisabled={isLocked} onClick={actions.add} />
        <IconButton
          icon="scissors"
          label="Split at the cursor (Ctrl Alt V)"
          isDisabled={isLocked}
          onClick={actions.split}
        />
        <IconButton
          icon="merge"
          label="Merge with the next line (Ctrl Shift M)"
          isDisabled={isLocked}
          onClick={actions.merge}
        />
        <IconButton icon="trash" label="Drop the line (Delete)" isDisabled={isLocked} onClick={actions.drop} />
        <KeysHelp
          groups={[
            ['Lines', editorKeys],
            ['Player', playerKeys],
          ]}
        />
      </span>
      <span class="caption-save">
        {changes > 0 && <span class="quiet">{counted(changes, 'unsaved change')}</span>}
        <button
          type="button"
          class={changes > 0 ? 'primary' : ''}
          disabled={isLocked || changes === 0}
          onClick={actions.save}
        >
          Save…
        </button>
      </span>
    </div>
  );
}

/** Quotes a word for a shell. */
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

const textCodecs: Readonly<Record<string, string>> = {
  mp4: 'mov_text',
  m4v: 'mov_text',
  mov: 'mov_text',
  webm: 'webvtt',
};

/** The command that writes a copy of the film with the captions in it; Matroska for containers that hold no captions as text. */
export function muxCommand({ source, study }: Pick<RuntimeOverview, 'source' | 'study'>): string {
  const film = source.ingest.origin.replace(/^.*\//, '');
  const [, stem = film, ending = ''] = /^(.*)\.([^.]+)$/.exec(film) ?? [];
  const codec = textCodecs[ending.toLowerCase()];
  const output = `${stem}.captioned.${codec === undefined ? 'mkv' : ending}`;
  const captions = captionsName({ source, study });
  return `ffmpeg -i ${quoted(film)} -i ${quoted(captions)} -map 0:v -map '0:a?' -map 1 -c copy -c:s ${codec ?? 'srt'} ${quoted(output)}`;
}

interface LinesProps {
  readonly draft: CaptionDraft;
  readonly control: Playback;
  readonly languages: Readonly<Record<Side, string>>;
  readonly findings: Findings;
  readonly corrections: CaptionCorrections;
}

const wideRow = 60;
const narrowRow = 96;
const narrowPixels = 560;

/** Every line with both of its texts; the one at the time of the player is lit, the selected one is edited below. */
function Lines({ draft, control, languages, findings, corrections }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const { lines, selected } = useStore(draft.store, (context) => context);
  const playing = useStore(control.store, ({ timeMs }) => lineAtTime(lines, timeMs)?.key ?? null);
  const marks = useMemo(() => lineMarks(corrections, lines, draft.shown), [corrections, lines, draft]);
  const isOneLanguage = draft.shown.length === 1;
  return (
    <div ref={box} class="caption-list" data-narrow={width < narrowPixels}>
      <p class="caption-list-head quiet" aria-hidden="true">
        <span>{counted(lines.length, 'line')}</span>
        {!isOneLanguage && <span>{languageName(languages.source)}</span>}
        <span>{languageName(languages.target)}</span>
      </p>
      <WindowList
        label="Lines"
        count={lines.length}
        rowHeight={width < narrowPixels ? narrowRow : wideRow}
        showing={lines.findIndex(({ key }) => key === selected)}
        row={(at, tabIndex) => {
          const line = lines[at];
          if (line === undefined) return null;
          const count = findings.get(line.key)?.length ?? 0;
          const mark = marks.get(line.key);
          const go = () => {
            draft.select(line.key);
            control.seek(line.startMs);
          };
          return (
            <button
              type="button"
              class="caption-row"
              tabIndex={tabIndex}
              aria-current={line.key === selected}
              data-playing={line.key === playing}
              onClick={go}
              onFocus={() => line.key !== selected && go()}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return;
                event.preventDefault();
                document.querySelector<HTMLElement>('.line-text[data-side="target"]')?.focus();
              }}
            >
              <span class="mono caption-time">
                {clockTime(line.startMs)}
                {(count > 0 || mark !== undefined) && (
                  <span class="caption-flags">
                    {count > 0 && (
                      <span class="caption-flag" data-tone="warning">
                        <Icon name="triangle-alert" />
                        {count}
                        <span class="sr"> {count === 1 ? 'finding' : 'findings'}</span>
                      </span>
                    )}
                    {mark}
                  </span>
                )}
              </span>
              {!isOneLanguage && <RowText line={line} side="source" language={languages.source} />}
              <RowText line={line} side="target" language={languages.target} />
            </button>
          );
        }}
      />
    </div>
  );
}

interface RowTextProps {
  readonly line: EditedLine;
  readonly side: Side;
  readonly language: string;
}

/** A text of a line. A line that a person added has none on a side until they write it. */
function RowText({ line, side, language }: RowTextProps) {
  const text = line[side];
  const isMissing = text === null || text === '';
  return (
    <span class={isMissing ? 'caption-cell withheld-word' : 'caption-cell'} lang={isMissing ? undefined : language}>
      {isMissing ? (line.isOwn ? 'no text yet' : 'withheld') : text}
    </span>
  );
}

interface LineFormProps {
  readonly draft: CaptionDraft;
  readonly actions: EditorActions;
  readonly corrections: CaptionCorrections;
  readonly overview: RuntimeOverview;
  readonly findings: Findings;
  readonly cursor: { current: { readonly side: Side; readonly at: number } | null };
  readonly isLocked: boolean;
}

/** The selected line: its times, its texts, and what the guidelines find in it. */
function LineForm({ draft, actions, corrections, overview, findings, cursor, isLocked }: LineFormProps) {
  const { lines, selected } = useStore(draft.store, (context) => context);
  const [marked, setMarked] = useState<Selected | null>(null);
  const at = lines.findIndex(({ key }) => key === selected);
  const line = lines[at];
  useEffect(() => {
    cursor.current = null;
    setMarked(null);
  }, [selected]);
  if (line === undefined) return <p class="quiet">No line is left. Undo brings them back.</p>;
  const { startMs, endMs } = line;
  const languages = corrections.languages ?? { source: 'und', target: 'und' };
  const { shown } = draft;
  const host = corrections.lines.find(({ id }) => id === line.key);
  /** Explanations are about captions as the host made them, so only unchanged texts have them. */
  const isOfHost = (side: Side): boolean => host?.[side].by === 'host' && host[side].text === line[side];
  const watch = (side: Side) => (event: Event & { readonly currentTarget: HTMLTextAreaElement }) => {
    const { selectionStart, selectionEnd, value } = event.currentTarget;
    cursor.current = { side, at: selectionStart };
    const text = value.slice(selectionStart, selectionEnd);
    setMarked(text.trim() === '' ? null : { side, start: [...value.slice(0, selectionStart)].length, text });
  };
  return (
    <section class="line-form" aria-label={`Line ${at + 1}`}>
      <div class="line-head">
        <h2>
          Line {at + 1} <span class="quiet">of {lines.length}</span>
        </h2>
        <TimeField label="Start" ms={startMs} onMs={(ms) => !isLocked && actions.time(line, { startMs: ms, endMs })} />
        <TimeField label="End" ms={endMs} onMs={(ms) => !isLocked && actions.time(line, { startMs, endMs: ms })} />
        <span class="line-length quiet mono">{((endMs - startMs) / 1000).toFixed(3)} s</span>
        <IconButton icon="play" label="Play the line (F5)" onClick={actions.play} />
      </div>
      <div class="line-texts" data-two={shown.length === 2}>
        {shown.map((side) => {
          const text = line[side];
          const stated = host?.[side];
          const speed = readingSpeed(line, text);
          return (
            <div key={side}>
              <label class="line-label">
                <span>
                  {side === 'source' ? 'Spoken' : 'Captions'}: {languageName(languages[side])}
                  {speed !== null && <span class="quiet"> · {speed.toFixed(1)} characters a second</span>}
                </span>
                <textarea
                  class="line-text"
                  data-side={side}
                  rows={2}
                  lang={languages[side]}
                  value={text ?? ''}
                  readOnly={isLocked}
                  placeholder={
                    line.isOwn
                      ? 'Write the text of this line.'
                      : text === null
                        ? `Withheld${stated?.reasonCode ? `: ${pageReason(stated.reasonCode)}` : ''}. You can write it yourself.`
                        : ''
                  }
                  onInput={({ currentTarget: { value } }) =>
                    draft.edit((before) => reworded(before, line.key, side, value), `word ${line.key} ${side}`)
                  }
                  onKeyDown={({ key }) => {
                    // Back to the lines, from where arrows lead on.
                    if (key === 'Escape')
                      document.querySelector<HTMLElement>('.caption-row[aria-current="true"]')?.focus();
                  }}
                  onSelect={watch(side)}
                  onKeyUp={watch(side)}
                />
              </label>
              <SideFindings findings={(findings.get(line.key) ?? []).filter((finding) => finding.side === side)} />
            </div>
          );
        })}
      </div>
      <FeaturePanels
        place="captionLine"
        given={{ overview, lineId: line.key, marked: marked !== null && isOfHost(marked.side) ? marked : null }}
      />
    </section>
  );
}

interface SavePanelProps {
  readonly corrections: CaptionCorrections;
  readonly draft: CaptionDraft;
  /** The file is downloaded when the changes are saved. */
  readonly isForDownload: boolean;
  readonly onSaved: (corrections: CaptionCorrections) => Promise<void>;
  readonly onReload: () => void;
  readonly onClose: () => void;
}

/** Writes the changes of a draft as one correction that a person signs. */
function SavePanel({ corrections, draft, isForDownload, onSaved, onReload, onClose }: SavePanelProps) {
  const host = useHost();
  const lines = useStore(draft.store, (context) => context.lines);
  const changes = useMemo(() => draft.changes(), [draft, lines]);
  const [note, setNote] = useState('');
  const [isOvertaken, setOvertaken] = useState(false);
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = box.current;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>('.sign-dialog input')?.focus();
    // A dialog that closes gives the focus back.
    return () => dialog?.close();
  }, []);
  const { head, runtimeId, reviewer } = corrections;
  const obstacle = obstacleOf(lines);
  if (head === null) return null;
  const save = async (by: Attested) => {
    try {
      const given = note.trim() === '' ? null : note.trim();
      const answer = await host.captions.correct(runtimeId, { changes }, { by, note: given, on: corrections });
      await onSaved(answer);
    } catch (error) {
      setOvertaken(error instanceof HostError && error.code === 'caption_correction_conflict');
      throw error;
    }
  };
  return (
    <dialog ref={box} class="dialog save-panel" aria-label="Save" onClose={onClose}>
      <h2>Save {counted(changes.length, 'change')}</h2>
      <p class="quiet">
        The host keeps its own lines and stores the changes beside them. You can take them back at any time.
        {isForDownload && ' The file is downloaded when they are saved.'}
      </p>
      {obstacle !== null && (
        <p class="bad-text">
          {obstacle.words}{' '}
          <button
            type="button"
            class="link"
            onClick={() => {
              draft.select(obstacle.key);
              onClose();
            }}
          >
            Go to that line
          </button>
        </p>
      )}
      <CountedField label="Note (optional)" value={note} most={longestNote} onValue={setNote} />
      <SignDialog
        reviewer={reviewer}
        statement={reviewer.correctionAttestation}
        button={isForDownload ? 'Save and download' : 'Save the changes'}
        isReady={changes.length > 0 && obstacle === null && excessOf(note, longestNote) === 0}
        onSigned={save}
      >
        <button type="button" onClick={onClose}>
          Keep editing
        </button>
        {isOvertaken && (
          <button type="button" onClick={onReload}>
            Read the new lines and discard mine
          </button>
        )}
      </SignDialog>
    </dialog>
  );
}
