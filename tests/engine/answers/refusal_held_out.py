"""Refusals and answers that were written before the detector was looked at, to measure it on and not to build it by.

When they were first read, 46 of the 48 were told right: `**Answer:** Not stated` passed for an answer, the lawsuit for a
refusal. Both have been mended since, so that the table measures no more; it only holds.

Wordings as several families of models have them: one sentence, with an apology, with an offer of help, with citations, as a
list, with what the passages hold instead. An answer may quote words of refusal, say what is not possible, or name a gap after
it has answered.
"""

from __future__ import annotations

REFUSALS = (
    "I couldn't find anything about parental leave in the passages you shared.",
    "The context doesn't cover how to rotate the signing key.",
    "Unfortunately, none of the provided passages mention the price of the Team plan, so I'm unable to answer this question.",
    "Based on the passages provided, there is no information about the retention period for audit logs.",
    "I don't have enough information to answer that.",
    "I'm sorry, but the given sources do not say who approved the budget.",
    "Unknown. The passages describe how to install the agent [1] and how to upgrade it [2], but not how to remove it.",
    "The answer to this question cannot be determined from the supplied excerpts.",
    "There's nothing in the documents that states when the contract ends.",
    "**Answer:** Not stated in the passages.",
    "Based on the context, I cannot provide a definitive answer. The passages discuss password resets [1], but they do not "
    "specify a lockout period.",
    "While passage [3] explains how invoices are numbered, it does not explain how to cancel one. I would recommend "
    "contacting the billing team for further assistance.",
    "It is not clear from the text which region the backup is stored in.",
    "No relevant information was found in the sources for this question.",
    "I do not know.",
    "Sorry, I don't know the answer to that based on what I was given.",
    "As an AI language model, I do not have access to your company's internal calendar, and the passages don't list holidays.",
    "The passages only talk about refunds for physical goods. They say nothing about gift cards.",
    "Insufficient information: the passages do not mention the maximum number of seats.",
    "I was unable to locate the warranty period for refurbished devices in the material provided.",
    "The text makes no mention of a mobile app. If you can share more documents, I'd be happy to look again.",
    "Hmm, I'm not sure. The documentation you provided doesn't address this.",
    "The provided information is not sufficient to determine the exact release date of version 4.2.",
    "I can't answer this from the passages. They cover the history of the bridge [1][2], not its height.",
)

ANSWERS = (
    "Unopened items can be returned within 30 days of delivery [1].",
    "No. Trial accounts cannot export reports [2].",
    "The server answers with 404 Not Found when the object does not exist [1].",
    "You cannot change the region after the workspace was created [3]; create a new workspace instead.",
    "There is no fee for the first three transfers of a month [1]. After that each transfer costs 0.50 EUR.",
    "If the owner is unknown, the ticket goes to the on-call engineer [2].",
    'The report lists the cause as "unknown" [4].',
    "Customers without a receipt do not get a refund, but they can exchange the item [1].",
    "It is not necessary to restart the service: the new configuration is read within 10 seconds [2].",
    "The error ERR_4021 means that the token is not valid for this tenant [1]. Request a new one with `login --tenant`.",
    "Up to 50 seats are included [1]. The passages do not say what a further seat costs.",
    "The lawsuit was dismissed because there was insufficient evidence [2].",
    "1. Open **Settings**.\n2. Choose **Keys**.\n3. Press *Rotate* [1].",
    "Yes, employees may carry over five days; the rest cannot be carried over and is lost [1].",
    "The function returns None if no match was found [3].",
    "Support does not provide help with third-party plug-ins, please contact their authors [2].",
    "According to the passages, the bridge was opened in 1932 and is 503 metres long [1][2].",
    "Neither. Both plans lack single sign-on; it is only part of Enterprise [3].",
    'The witness said "I do not know" eleven times [1].',
    "I believe the limit is 100 MB for a single upload [2], though the second guide mentions 50 MB [4] for older versions.",
    'The message "Sorry, we could not find that page" is shown when a link has expired [1].',
    "Paris",
    "The board could not determine the cause until 2019, when a second probe found a cracked valve [2].",
    "Although the manual doesn't give a figure for winter, the pump should be run for 20 minutes a day in summer [1].",
)
