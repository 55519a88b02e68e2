package org.sallyport.journal;

import org.sallyport.tool.Json;

/**
 * The arguments of a recorded call, which a run compares with those of its own calls. Long arguments take little
 * memory.
 *
 * @param head the first characters
 * @param length the number of all characters
 * @param hash the hash of all characters; empty if {@code head} has them all
 */
record RecordedArguments(String head, int length, String hash) {
    static final int MAX_HEAD_LENGTH = 200;

    static RecordedArguments of(Json arguments) {
        String text = arguments.text();
        return text.length() <= MAX_HEAD_LENGTH
                ? new RecordedArguments(text, text.length(), "")
                : new RecordedArguments(
                        text.substring(0, MAX_HEAD_LENGTH), text.length(), OmittedArguments.sha256(text));
    }

    /** Returns whether both are the same arguments, even if a journal omits those of one. */
    boolean matches(RecordedArguments other) {
        return equals(other) || standsFor(other) || other.standsFor(this);
    }

    /** Returns whether these are {@link OmittedArguments} in place of the others. */
    boolean standsFor(RecordedArguments other) {
        return isComplete()
                && OmittedArguments.isForm(new Json(head))
                && head.equals(other.omittedForm().text());
    }

    private Json omittedForm() {
        return OmittedArguments.of(isComplete() ? OmittedArguments.sha256(head) : hash, length);
    }

    boolean isComplete() {
        return head.length() == length;
    }
}
