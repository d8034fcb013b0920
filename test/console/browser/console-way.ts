import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Page } from 'playwright-core';

/** Drops a file on a page, as a person does with the mouse; under its own name or another one. */
export async function drop(page: Page, path: string, name = basename(path)): Promise<void> {
  const bytes = (await readFile(path)).toString('base64');
  const dataTransfer = await page.evaluateHandle(`(() => {
    const bytes = Uint8Array.from(atob(${JSON.stringify(bytes)}), (byte) => byte.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], ${JSON.stringify(name)}, { type: 'video/mp4' }));
    return transfer;
  })()`);
  await page.dispatchEvent('body', 'drop', { dataTransfer });
}

/** Gives the file that was dropped its words, and waits until it is a source. */
export async function ingestDropped(page: Page, label: string): Promise<void> {
  const form = page.getByRole('form', { name: 'Add a file' });
  await form.getByLabel('Name in the library').fill(label);
  await form.getByLabel('Who owns the rights?').fill('The maker of the sample');
  await form.getByLabel(/^I own this file/).check();
  await form.getByRole('button', { name: 'Add the file' }).click();
  await page.getByRole('link', { name: `Make captions for ${label}` }).waitFor();
}

/** Opens or closes the details of a source, behind the menu of its row. */
export async function toggleDetails(page: Page, label: string): Promise<void> {
  await page.getByLabel(`More for ${label}`).click();
  await page.getByRole('button', { name: `Details of ${label}` }).click();
}

/** Gives a subtitle file to the source whose details are open, with the words that a person answers for. */
export async function attachSubtitles(page: Page, { name, text }: { name: string; text: string }): Promise<void> {
  const form = page.getByRole('form', { name: 'Attach a subtitle file' });
  const file = { name, mimeType: 'application/x-subrip', buffer: Buffer.from(text) };
  await form.getByLabel('Attach a subtitle file').setInputFiles(file);
  await form.getByLabel('Language').fill('ko');
  await form.getByLabel('Who owns the rights?').fill('The maker of the text');
  await form.getByLabel(/^I own this file/).check();
  await form.getByRole('button', { name: 'Attach the file' }).click();
}

/** Studies the first seconds of a source, with captions in mind, and waits for the end. */
export async function study(page: Page, label: string): Promise<void> {
  await page.getByRole('link', { name: `Make captions for ${label}` }).click();
  await page.getByText('Part of the film').click();
  await page.getByLabel('To', { exact: true }).fill('0:12');
  await page.getByLabel('Spoken').selectOption('ko');
  await page.getByText('Time it will take').waitFor();
  await page.getByRole('button', { name: 'Start the study' }).click();
  await page.getByText('Approve or reject the lines').first().waitFor();
}

/** Verifies what is chosen on the timeline and returns the verdict. */
export async function verdict(page: Page, withMedia: boolean): Promise<string> {
  if (withMedia) await page.getByLabel('with the bytes of the media').check();
  await page.getByRole('button', { name: 'Verify here' }).click();
  const what = withMedia ? 'Media against its content id' : 'Journal chain';
  await page.getByText(what).waitFor();
  return page.locator('.verdict').innerText();
}

/** The name that a person of these tests gives at the first signature. */
const signer = 'Noa Lindqvist';

/** Signs a statement with the name of the person, which the page asks for once. */
export async function sign(page: Page, button: string): Promise<void> {
  const form = page.getByRole('form', { name: button });
  const name = form.getByLabel('Your name');
  await name.or(form.getByRole('button', { name: `Not ${signer}?` })).waitFor();
  if (await name.isVisible()) await name.fill(signer);
  await form.locator('.statement', { hasText: signer }).waitFor();
  await form.getByRole('button', { name: button, exact: true }).click();
}

/** Approves the study that is open. */
export async function approve(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Review' }).first().click();
  await sign(page, 'Approve for captions');
  await page.getByText('Approved for caption production').first().waitFor();
  // The form is gone with its button: the keyboard goes on in the view.
  await page.locator('#view:focus').waitFor();
}

/** Has captions produced and waits for their check. */
export async function produceCaptions(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Make captions' }).click();
  await page.getByText('Good morning and welcome to the reading room.').waitFor();
}

/** Rewords the first line of the captions that are open and saves that as a correction. */
export async function correctFirstLine(page: Page, text: string): Promise<void> {
  const line = page.getByRole('region', { name: 'Line 1' });
  await line.getByLabel(/^Captions: /).fill(text);
  await page.getByText('1 unsaved change').waitFor();
  await page.keyboard.press('Control+s');
  await sign(page, 'Save the changes');
  await page.getByText('1 correction', { exact: true }).waitFor();
}

/** Downloads what a button gives, as text. */
export async function downloaded(page: Page, button: string): Promise<string> {
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).click();
  return readFile(await (await downloading).path(), 'utf8');
}
