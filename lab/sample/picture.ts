import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { frameCount, frameRate, height, type ScreenText, scenes, screenTexts, width } from './timeline.ts';

const fonts = {
  ko: '/usr/share/fonts/truetype/nanum/NanumGothicBold.ttf',
  en: '/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf',
};

const sceneOf = (frame: number) => scenes.findLast(({ firstFrame }) => firstFrame <= frame);

/** The text lies in a file of its own, so that nothing of it needs escaping. */
async function drawText(screenText: ScreenText, index: number, folder: string): Promise<string> {
  const file = path.join(folder, `text-${index}.txt`);
  await writeFile(file, screenText.text);
  const { firstFrame, endFrame, language, y } = screenText;
  return [
    `drawtext=fontfile=${fonts[language]}`,
    `textfile=${file}`,
    'expansion=none',
    'fontsize=48',
    `fontcolor=${sceneOf(firstFrame)?.textColor}`,
    'x=(w-text_w)/2',
    `y=${y}`,
    `enable='between(n,${firstFrame},${endFrame - 1})'`,
  ].join(':');
}

/** The filter graph whose output `[picture]` holds all scenes with their texts. */
export async function pictureGraph(folder: string): Promise<string> {
  const parts = scenes.map(({ firstFrame, picture }, index) => {
    const frames = (scenes[index + 1]?.firstFrame ?? frameCount) - firstFrame;
    return `${picture}:s=${width}x${height}:r=${frameRate},trim=end_frame=${frames},format=yuv420p[s${index}]`;
  });
  const texts = await Promise.all(screenTexts.map((text, index) => drawText(text, index, folder)));
  const inputs = scenes.map((_, index) => `[s${index}]`).join('');
  return [...parts, `${inputs}concat=n=${scenes.length}:v=1:a=0,${texts.join(',')}[picture]`].join(';\n');
}
