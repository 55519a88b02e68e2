package org.sallyport.connector.bean;

/** A value is not what its type asks for; the message names where it is, and no class. */
final class BeanMappingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BeanMappingException(String path, String reason) {
        super(path + " " + reason);
    }
}
