/** Forms that clients show right now, by the request they are for and the client that shows them. */
export class OpenForms {
  readonly #forms = new Map<string, Map<object, AbortController>>();

  has(requestId: string, client: object): boolean {
    return this.#forms.get(requestId)?.has(client) === true;
  }

  /** Notes a form; the signal tells when it is needless. */
  open(requestId: string, client: object): AbortSignal {
    const form = new AbortController();
    const shown = this.#forms.get(requestId) ?? new Map<object, AbortController>();
    this.#forms.set(requestId, shown.set(client, form));
    return form.signal;
  }

  /** The form is gone by itself. */
  forget(requestId: string, client: object): void {
    this.#forms.get(requestId)?.delete(client);
  }

  /** The request needs no answer any more. */
  close(requestId: string): void {
    for (const form of this.#forms.get(requestId)?.values() ?? []) form.abort();
    this.#forms.delete(requestId);
  }

  /** The client has gone. */
  closeOf(client: object): void {
    for (const shown of this.#forms.values()) {
      shown.get(client)?.abort();
      shown.delete(client);
    }
  }

  closeAll(): void {
    for (const requestId of [...this.#forms.keys()]) this.close(requestId);
  }
}
