import type { Complaint } from 'kern/contracts';
import type { Journal, Report } from 'kern/plugin';

/** What a report complains of; undefined where it does not. */
export function complaintOf({ severity, plugin, code, message }: Report): Complaint | undefined {
  return severity === 'warning' || severity === 'error' ? { severity, plugin, code, message } : undefined;
}

/** Tells complaints from now on, each once: a timer that fails every second is one complaint. Answers with the end of it. */
export function listenForComplaints(journal: Journal, tell: (complaint: Complaint) => void): () => void {
  const told = new Set<string>();
  return journal.listen((report) => {
    const complaint = complaintOf(report);
    // What is blocked is told by whoever needs it.
    if (complaint === undefined || complaint.code === 'blocked') return;
    const id = JSON.stringify([complaint.plugin, complaint.code, complaint.message]);
    if (told.has(id)) return;
    told.add(id);
    tell(complaint);
  });
}
